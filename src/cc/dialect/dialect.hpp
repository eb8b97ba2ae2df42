/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect.hpp - the parts of the plugin by which clang reads CUDA as nvcc does.
 *
 * clang loads it in both passes of a .cu. It uses clang's C++ interface, so one
 * build serves one version of clang; what differs between versions is in this
 * file. Everything runs on clang's one thread and lives as long as its
 * compilation.
 */
#ifndef SW_CC_DIALECT_DIALECT_H
#define SW_CC_DIALECT_DIALECT_H
#include <memory>
#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Token.h"

namespace softwarp
{

/* What the command line says: -plugin-arg-softwarp NAME=VALUE. */
struct Options {
    /* The folder of our headers with a slash: they mean what they say to
     * clang, and are left alone. */
    std::string headers;
    /* Kernels launch kernels, and are functions with an annotation
     * (host_defines.h). */
    bool is_nested = false;
    /* What names no execution space is the device's (NVRTC's
     * --device-as-default-execution-space). */
    bool is_device_default = false;
    /* The file that tells whoever runs us that this is so, if it was not said;
     * clang then makes nothing. */
    std::string marker;
};
Options &options();

/* spaces.cpp: the text of the pragma by which each function of the program's
 * passes through the plugin; the text that ends it. */
extern const char *const spaces_begin, *const spaces_end;

/*
 * messages.cpp: puts itself before what prints clang's messages. Calls of host
 * functions in functions for both sides become warnings, and the host function
 * is marked (src/cc/host_calls.c); in other device code they stay errors.
 */
class Messages : public clang::DiagnosticConsumer
{
  public:
    static Messages *put_before(clang::DiagnosticsEngine &engine);
    /* Nothing more is said, and no code is made. */
    void fall_silent();
    /* At the end of the source, before code is made of it. */
    void finish_source(clang::DiagnosticsEngine &engine);

    void BeginSourceFile(const clang::LangOptions &language,
                         const clang::Preprocessor *preprocessor) override;
    void EndSourceFile() override;
    void finish() override;
    void clear() override;
    bool IncludeInDiagnosticCounts() const override;
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                          const clang::Diagnostic &info) override;

  private:
    Messages(clang::DiagnosticsEngine &engine,
             std::unique_ptr<clang::DiagnosticConsumer> printer);
    clang::DiagnosticsEngine::Level judge(const clang::Diagnostic &info);

    std::unique_ptr<clang::DiagnosticConsumer> printer;
    bool is_silent = false;
    bool has_errors = false; /* among those that clang takes for remarks */
    bool skips_notes = false;
    unsigned stop; /* the message that only stops clang */
};

/* A pragma that acts when it is read: which token comes next; "begin", or
 * "end". */
struct Mark {
    size_t before;
    bool is_begin;
};

/*
 * tokens.cpp: has the parser get the source's tokens, macros expanded, in the
 * order and spelling that clang knows for what nvcc takes.
 */
class Tokens
{
  public:
    Tokens(clang::CompilerInstance &compiler, Messages &messages);

  private:
    void replace_rest(clang::Token &first);
    void pass(const clang::Token &token);
    clang::Token read_pragma(const char *text);

    clang::CompilerInstance &compiler;
    Messages &messages;
    enum { WAITING, READING, GIVING } state = WAITING;
    std::vector<clang::Token> all;
    std::vector<Mark> marks; /* in order */
    size_t next_mark = 0;
};

/* rewrite.cpp: changes a whole source's tokens, and where the marks are.
 * False: its kernels launch kernels, which was not said. */
bool rewrite_tokens(clang::Preprocessor &preprocessor,
                    std::vector<clang::Token> &tokens,
                    std::vector<Mark> &marks);

/* lambdas.cpp: a class has been completed, perhaps one that tells of closures.
 */
void answer_about_lambda(clang::TagDecl *tag);

} // namespace softwarp
#endif
