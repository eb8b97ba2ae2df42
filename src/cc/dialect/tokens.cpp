/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens.cpp - the source's tokens on their way to the parser.
 *
 * clang's preprocessor tells of each token that it has read. At the first one
 * we read all others, macros expanded, change them, and give them back to be
 * read again. They keep their places, so messages are as good as ever.
 */
#include "cc/dialect/dialect.hpp"

#include <fstream>

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;

namespace softwarp
{

Tokens::Tokens(CompilerInstance &compiler, Messages &messages)
    : compiler(compiler), messages(messages)
{
    compiler.getPreprocessor().setTokenWatcher([this](const Token &token) {
        if (is_done)
            return;
        is_done = true;
        /* The preprocessor's own variable, which the parser sees next. */
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
    std::vector<Token> all;
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
    if (!rewrite_tokens(preprocessor, all)) {
        all.clear();
        messages.fall_silent();
        compiler.getDiagnosticOpts().ShowCarets = false; /* nor a summary */
        std::ofstream(options().marker) << "nested\n";
    }
    auto given = std::make_unique<Token[]>(all.size() + 3);
    given[0] = begin;
    std::copy(all.begin(), all.end(), given.get() + 1);
    given[all.size() + 1] = end;
    given[all.size() + 2] = token;
    preprocessor.EnterTokenStream(std::move(given), unsigned(all.size() + 3),
                                  /*DisableMacroExpansion=*/true,
                                  /*IsReinject=*/true);
}

} // namespace softwarp
