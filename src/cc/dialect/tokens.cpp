/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens.cpp - the source's tokens on their way to the parser.
 *
 * clang's preprocessor tells of each token that it has read. At the first one
 * we read all others, macros expanded, change them, and give them back to be
 * read again. They keep their places, so messages are as good as ever.
 *
 * A pragma that acts when it is read acts again when its place is parsed.
 */
#include "cc/dialect/dialect.hpp"

#include <fstream>

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"

using namespace clang;

namespace softwarp
{

namespace
{

/* Notes where #pragma clang force_cuda_host_device stands, by which functions
 * of the system's headers become ones for both sides. */
class Pragmas : public PPCallbacks
{
  public:
    Pragmas(const SourceManager &sources, const std::vector<Token> &tokens,
            std::vector<Mark> &marks)
        : sources(sources), tokens(tokens), marks(marks)
    {
    }
    void PragmaDirective(SourceLocation place,
                         PragmaIntroducerKind introducer) override
    {
        if (introducer != PIK_HashPragma)
            return;
        llvm::StringRef line = sources.getCharacterData(place);
        auto takes = [&line](llvm::StringRef word) {
            line = line.ltrim(" \t");
            return line.consume_front(word);
        };
        if (takes("#") && takes("pragma") && takes("clang") &&
            takes("force_cuda_host_device"))
            marks.push_back({tokens.size(), takes("begin")});
    }

  private:
    const SourceManager &sources;
    const std::vector<Token> &tokens;
    std::vector<Mark> &marks;
};

} // namespace

Tokens::Tokens(CompilerInstance &compiler, Messages &messages)
    : compiler(compiler), messages(messages)
{
    Preprocessor &preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(
        std::make_unique<Pragmas>(compiler.getSourceManager(), all, marks));
    preprocessor.setTokenWatcher([this](const Token &token) {
        /* It is the preprocessor's own variable, which the parser sees next. */
        if (state == GIVING)
            pass(token);
        else if (state == WAITING)
            replace_rest(const_cast<Token &>(token));
    });
}

/* The token that stands for it. */
Token
Tokens::read_pragma(const char *text)
{
    Preprocessor &preprocessor = compiler.getPreprocessor();
    Token token;
    preprocessor.EnterSourceFile(
        compiler.getSourceManager().createFileID(
            llvm::MemoryBuffer::getMemBufferCopy(text, "<softwarp>")),
        nullptr, SourceLocation());
    preprocessor.Lex(token);
    return token;
}

void
Tokens::replace_rest(Token &first)
{
    Preprocessor &preprocessor = compiler.getPreprocessor();

    state = READING;
    Token begin = read_pragma(spaces_begin), end = read_pragma(spaces_end);
    Token token = first;

    first.startToken(); /* an empty declaration */
    first.setKind(tok::semi);
    first.setLocation(token.getLocation());
    first.setLength(1);
    while (token.isNot(tok::eof)) {
        all.push_back(token);
        preprocessor.Lex(token);
    }
    all.push_back(end);
    all.push_back(token);
    if (!rewrite_tokens(preprocessor, all, marks)) {
        all = {end, token};
        marks.clear();
        messages.fall_silent();
        compiler.getDiagnosticOpts().ShowCarets = false; /* nor a summary */
        std::ofstream(options().marker) << "nested\n";
    }
    preprocessor.EnterTokenStream(all, /*DisableMacroExpansion=*/true,
                                  /*IsReinject=*/false);
    auto given = std::make_unique<Token[]>(1);
    given[0] = begin;
    preprocessor.EnterTokenStream(std::move(given), 1,
                                  /*DisableMacroExpansion=*/true,
                                  /*IsReinject=*/true);
    state = GIVING;
}

/* A token is with the parser now. Some that it sees are not among ours, of
 * what pragmas put into the source. */
void
Tokens::pass(const Token &token)
{
    while (next_mark < marks.size()) {
        const Mark &mark = marks[next_mark];
        if (token.getLocation() != all[mark.before].getLocation())
            break;
        SemaCUDA &cuda = compiler.getSema().CUDA();
        if (mark.is_begin)
            cuda.PushForceHostDevice();
        else
            cuda.PopForceHostDevice();
        next_mark++;
    }
}

} // namespace softwarp
