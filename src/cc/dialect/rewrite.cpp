/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite.cpp - what nvcc takes, in tokens that clang takes.
 *
 *   kernel<< <grid, block>> >()      kernel<<<grid, block>>>()
 *   kernel<<<grid, {8, 4}>>>()       kernel<<<grid, dim3{8, 4}>>>()
 *   __device__ [[nodiscard]] int f() [[nodiscard]] __device__ int f()
 *   asm("mov.u32 %0, %laneid;" : ..) asm("mov.u32 %0, %%laneid;" : ..)
 */
#include "cc/dialect/dialect.hpp"

#include "clang/Lex/Preprocessor.h"

using namespace clang;

namespace softwarp
{
namespace
{

using List = std::vector<Token>;

void rewrite_part(Preprocessor &preprocessor, const List &list, size_t from,
                  size_t to, List &out);

int
depth_change(const Token &token)
{
    return token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace) -
           token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
}

Token
make_word(Preprocessor &preprocessor, const char *word, const Token &before)
{
    Token token;
    token.startToken();
    token.setKind(tok::identifier);
    token.setIdentifierInfo(preprocessor.getIdentifierInfo(word));
    token.setLocation(before.getLocation());
    token.setLength(before.getLength());
    return token;
}

/* ---- device code ---- */

/* Where the source is: how deep in braces, and which of these are device code.
 */
class Place
{
  public:
    void pass(const List &list, size_t i)
    {
        const Token &token = list[i];
        if (token.is(tok::l_brace)) {
            braces.push_back(is_device() || head_is_device);
        } else if (token.is(tok::r_brace) && !braces.empty()) {
            braces.pop_back();
        } else if (token.is(tok::identifier) && i > 1 &&
                   list[i - 1].is(tok::l_paren) &&
                   list[i - 2].is(tok::l_paren)) {
            llvm::StringRef word = token.getIdentifierInfo()->getName();
            head_is_device |= word == "device" || word == "global";
        }
        if (token.isOneOf(tok::l_brace, tok::r_brace, tok::semi))
            head_is_device = false;
    }
    bool is_device() const
    {
        return !braces.empty() && braces.back();
    }

  private:
    std::vector<bool> braces;
    bool head_is_device = false;
};

/* ---- launches ---- */

/* Two tokens that together are one of another kind. */
void
join(Token &token, tok::TokenKind kind)
{
    token.setKind(kind);
    token.setLength(3);
}

/* Where the brackets of the launch close that open before `i`: one token, or
 * two that would be one. 0: it is no launch. */
size_t
close_of_launch(const List &list, size_t i)
{
    int depth = 0;
    for (; i + 1 < list.size() && depth >= 0; i++) {
        if (depth == 0 && list[i].is(tok::greatergreatergreater))
            return i;
        if (depth == 0 && list[i].is(tok::greatergreater) &&
            list[i + 1].is(tok::greater))
            return i;
        if (list[i].is(tok::semi) && depth == 0)
            return 0;
        depth += depth_change(list[i]);
    }
    return 0;
}

/* The shape of a launch; what is in braces there gets its type. */
void
copy_shape(Preprocessor &preprocessor, const List &list, size_t from, size_t to,
           List &out)
{
    static const char *const types[] = {"dim3", "dim3", "size_t",
                                        "cudaStream_t"};
    size_t which = 0;
    int depth = 0;
    for (size_t i = from; i < to; i++) {
        bool begins = depth == 0 && (i == from || list[i - 1].is(tok::comma));
        if (begins && list[i].is(tok::l_brace) && which < 4)
            out.push_back(make_word(preprocessor, types[which], list[i]));
        if (depth == 0 && list[i].is(tok::comma))
            which++;
        depth += depth_change(list[i]);
        out.push_back(list[i]);
    }
}

/* Where the list begins that ends with a closing bracket of that kind. */
size_t
open_of(const List &list, size_t end)
{
    int depth = 0;
    size_t i = end;
    do
        depth -= depth_change(list[--i]);
    while (depth > 0 && i > 0);
    return depth ? end : i;
}

/* The same for angles, of which a token may have several. */
size_t
open_angle_of(const List &list, size_t end)
{
    int depth = 0, round = 0;
    for (size_t i = end; i > 0;) {
        const Token &token = list[--i];
        round -= depth_change(token);
        if (round < 0)
            return end;
        if (round > 0)
            continue;
        depth += token.is(tok::greater) + 2 * token.is(tok::greatergreater) +
                 3 * token.is(tok::greatergreatergreater);
        depth -= token.is(tok::less);
        if (depth <= 0)
            return token.is(tok::less) ? i : end;
    }
    return end;
}

/* Where the expression begins that names a kernel, with which the list ends. */
size_t
begin_of_kernel(const List &list)
{
    size_t i = list.size();
    for (;;) {
        size_t end = i;
        if (i > 0 && list[i - 1].isOneOf(tok::greater, tok::greatergreater))
            i = open_angle_of(list, i);
        else if (i > 0 && list[i - 1].isOneOf(tok::r_paren, tok::r_square))
            i = open_of(list, i);
        if (i > 0 && list[i - 1].is(tok::identifier))
            i--;
        if (i > 0 && list[i - 1].is(tok::kw_template))
            i--;
        if (i == end || i == 0 ||
            !list[i - 1].isOneOf(tok::coloncolon, tok::period, tok::arrow))
            return i;
        i--;
        if (i == 0 ||
            !(list[i - 1].is(tok::identifier) ||
              list[i - 1].isOneOf(tok::greater, tok::r_paren, tok::r_square)))
            return i; /* ::kernel */
    }
}

/* The parts of a launch whose brackets open at `i`: its shape is in
 * [from, to), its arguments are in [args, end), which has round brackets. */
struct Launch {
    size_t from, to, args, end;
    bool opens_apart, closes_apart;
};

bool
find_launch(const List &list, size_t i, Launch &l)
{
    l.opens_apart = list[i].is(tok::lessless) && i + 1 < list.size() &&
                    list[i + 1].is(tok::less) &&
                    !(i > 0 && list[i - 1].is(tok::kw_operator));
    if (!l.opens_apart && list[i].isNot(tok::lesslessless))
        return false;
    l.from = i + 1 + l.opens_apart;
    l.to = close_of_launch(list, l.from);
    if (!l.to)
        return false;
    l.closes_apart = list[l.to].is(tok::greatergreater);
    l.args = l.end = l.to + 1 + l.closes_apart;
    int depth = 0;
    do
        depth += depth_change(list[l.end++]);
    while (depth > 0 && l.end < list.size());
    return list[l.args].is(tok::l_paren) && !depth;
}

/* kernel<<<shape>>>(args): how many tokens were taken; 0: there is none. */
size_t
take_launch(Preprocessor &preprocessor, const List &list, size_t i, List &out)
{
    Launch l;
    if (!find_launch(list, i, l))
        return 0;
    Token bracket = list[i];
    if (l.opens_apart)
        join(bracket, tok::lesslessless);
    out.push_back(bracket);
    copy_shape(preprocessor, list, l.from, l.to, out);
    bracket = list[l.to];
    if (l.closes_apart)
        join(bracket, tok::greatergreatergreater);
    out.push_back(bracket);
    return l.args - i;
}

Token
make_sign(tok::TokenKind kind, const Token &before)
{
    Token token;
    token.startToken();
    token.setKind(kind);
    token.setLocation(before.getLocation());
    token.setLength(1);
    return token;
}

/* The same as (kernel(args), softwarp_launch(shape)), two calls for clang of
 * which src/cc/nested_ir.c makes a launch. */
size_t
take_nested_launch(Preprocessor &preprocessor, const List &list, size_t i,
                   List &out)
{
    Launch l;
    if (!find_launch(list, i, l))
        return 0;
    size_t kernel = begin_of_kernel(out);
    const Token &at = list[l.args];
    out.insert(out.begin() + long(kernel), make_sign(tok::l_paren, at));
    rewrite_part(preprocessor, list, l.args, l.end, out);
    out.push_back(make_sign(tok::comma, at));
    out.push_back(make_word(preprocessor, "softwarp_launch", at));
    out.push_back(make_sign(tok::l_paren, at));
    copy_shape(preprocessor, list, l.from, l.to, out);
    out.push_back(make_sign(tok::r_paren, at));
    out.push_back(make_sign(tok::r_paren, at));
    return l.end - i;
}

/* ---- attributes ---- */

/* Where the declaration begins whose attributes and other words before its
 * type end with `list`. */
size_t
begin_of_declaration(const List &list)
{
    size_t i = list.size();
    while (i > 0) {
        if (list[i - 1].isOneOf(tok::kw_static, tok::kw_extern, tok::kw_inline,
                                tok::kw_constexpr, tok::kw_virtual,
                                tok::kw_explicit, tok::kw_friend)) {
            i--;
            continue;
        }
        if (list[i - 1].isNot(tok::r_paren))
            break;
        size_t open = i;
        int depth = 0;
        do
            depth -= depth_change(list[--open]);
        while (depth > 0 && open > 0);
        if (depth || open == 0 || list[open - 1].isNot(tok::kw___attribute))
            break;
        i = open - 1;
    }
    return i;
}

/* [[...]] behind one of nvcc's words, which is an attribute for clang and
 * cannot stand before it. */
size_t
take_attribute(const List &list, size_t i, List &out)
{
    if (list[i].isNot(tok::l_square) || i + 1 >= list.size() ||
        list[i + 1].isNot(tok::l_square) || out.empty() ||
        out.back().isNot(tok::r_paren))
        return 0;
    size_t begin = begin_of_declaration(out), end = i;
    if (begin == out.size())
        return 0;
    int depth = 0;
    do
        depth += depth_change(list[end++]);
    while (depth > 0 && end < list.size());
    if (depth)
        return 0;
    out.insert(out.begin() + long(begin), list.begin() + long(i),
               list.begin() + long(end));
    return end - i;
}

/* ---- assembly ---- */

/* A percent sign that begins no operand stands for itself. */
bool
is_operand(llvm::StringRef text, size_t i)
{
    auto is = [&](size_t at, const char *set) {
        return at < text.size() && strchr(set, text[at]);
    };
    if (is(i + 1, "0123456789[{|}="))
        return true;
    return i + 1 < text.size() && isalpha((unsigned char)text[i + 1]) &&
           is(i + 2, "0123456789[");
}

Token
with_percents(Preprocessor &preprocessor, const Token &literal)
{
    std::string text = preprocessor.getSpelling(literal), out;
    bool changes = false;
    for (size_t i = 0; i < text.size(); i++) {
        out += text[i];
        if (text[i] != '%')
            continue;
        if (i + 1 < text.size() && text[i + 1] == '%') {
            out += text[++i];
        } else if (!is_operand(text, i)) {
            out += '%';
            changes = true;
        }
    }
    if (!changes)
        return literal;
    Token token;
    token.startToken();
    token.setKind(literal.getKind());
    preprocessor.CreateString(out, token, literal.getLocation(),
                              literal.getLocation());
    return token;
}

/* The text of an asm statement with operands. */
size_t
take_assembly(Preprocessor &preprocessor, const List &list, size_t i, List &out)
{
    size_t begin = i + 1;
    if (list[i].isNot(tok::kw_asm))
        return 0;
    while (begin < list.size() &&
           list[begin].isOneOf(tok::kw_volatile, tok::kw_inline, tok::kw_goto))
        begin++;
    if (begin >= list.size() || list[begin].isNot(tok::l_paren))
        return 0;
    size_t end = ++begin;
    while (end < list.size() && list[end].is(tok::string_literal))
        end++;
    if (end >= list.size() || end == begin ||
        !list[end].isOneOf(tok::colon, tok::coloncolon))
        return 0;
    for (size_t k = i; k < end; k++)
        out.push_back(k < begin ? list[k]
                                : with_percents(preprocessor, list[k]));
    return end - i;
}

void
rewrite_part(Preprocessor &preprocessor, const List &list, size_t from,
             size_t to, List &out)
{
    const bool is_nested =
        options().is_nested && preprocessor.getLangOpts().CUDAIsDevice;
    for (size_t i = from; i < to;) {
        size_t n = is_nested ? take_nested_launch(preprocessor, list, i, out)
                             : take_launch(preprocessor, list, i, out);
        if (!n)
            n = take_attribute(list, i, out);
        if (!n)
            n = take_assembly(preprocessor, list, i, out);
        if (!n) {
            out.push_back(list[i]);
            n = 1;
        }
        i += n;
    }
}

bool
has_nested_launch(const List &list)
{
    Place place;
    Launch l;
    for (size_t i = 0; i < list.size(); i++) {
        if (place.is_device() && find_launch(list, i, l))
            return true;
        place.pass(list, i);
    }
    return false;
}

} // namespace

bool
rewrite_tokens(Preprocessor &preprocessor, std::vector<Token> &tokens,
               std::vector<Mark> &marks)
{
    List out;
    size_t from = 0;
    if (!options().marker.empty() && has_nested_launch(tokens))
        return false;
    out.reserve(tokens.size() + 16);
    for (Mark &mark : marks) {
        rewrite_part(preprocessor, tokens, from, mark.before, out);
        from = mark.before;
        mark.before = out.size();
    }
    rewrite_part(preprocessor, tokens, from, tokens.size(), out);
    tokens.swap(out);
    return true;
}

} // namespace softwarp
