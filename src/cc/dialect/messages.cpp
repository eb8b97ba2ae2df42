/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.cpp - which of clang's errors are errors for nvcc, too.
 *
 * One of them is made a remark, so that clang goes on, and its level is decided
 * here; if it stays an error a last one, which nobody sees, keeps clang from
 * making code.
 */
#include "cc/dialect/dialect.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Sema/SemaDiagnostic.h"

using namespace clang;

namespace softwarp
{

/* The order of __device__, ... in clang's message. */
enum { DEVICE, KERNEL, HOST, BOTH };

Messages *
Messages::put_before(DiagnosticsEngine &engine)
{
    auto *messages = new Messages(engine, engine.takeClient());
    engine.setClient(messages);
    return messages;
}

Messages::Messages(DiagnosticsEngine &engine,
                   std::unique_ptr<DiagnosticConsumer> printer)
    : printer(std::move(printer))
{
    engine.setSeverity(diag::err_ref_bad_target, diag::Severity::Remark,
                       SourceLocation());
    stop = engine.getCustomDiagID(DiagnosticsEngine::Error,
                                  "device code has errors");
}

void
Messages::fall_silent()
{
    is_silent = has_errors = true;
}

void
Messages::finish_source(DiagnosticsEngine &engine)
{
    if (has_errors)
        engine.Report(stop);
}

void
Messages::BeginSourceFile(const LangOptions &language,
                          const Preprocessor *preprocessor)
{
    printer->BeginSourceFile(language, preprocessor);
}

void
Messages::EndSourceFile()
{
    printer->EndSourceFile();
}

void
Messages::finish()
{
    printer->finish();
}

void
Messages::clear()
{
    DiagnosticConsumer::clear();
    printer->clear();
}

bool
Messages::IncludeInDiagnosticCounts() const
{
    return printer->IncludeInDiagnosticCounts();
}

/* "reference to SPACE KIND NAME in SPACE function". */
DiagnosticsEngine::Level
Messages::judge(const Diagnostic &info)
{
    enum { THEIRS, KIND, NAME, OURS };
    if (info.getNumArgs() <= OURS ||
        info.getArgKind(NAME) != DiagnosticsEngine::ak_nameddecl)
        return DiagnosticsEngine::Error;
    auto *name = reinterpret_cast<NamedDecl *>(info.getRawArg(NAME));
    auto *f = dyn_cast<FunctionDecl>(name);
    bool is_device = f && f->getASTContext().getLangOpts().CUDAIsDevice;
    auto ours = info.getRawArg(OURS);
    if (f && !is_device && (ours == DEVICE || ours == KERNEL))
        return DiagnosticsEngine::Ignored; /* the device pass says it */
    if (!f || info.getRawArg(THEIRS) != HOST || ours != BOTH)
        return DiagnosticsEngine::Error;
    if (!f->hasAttr<ErrorAttr>())
        f->addAttr(ErrorAttr::CreateImplicit(
            f->getASTContext(), "softwarp: host function", SourceRange(),
            ErrorAttr::GNU_warning));
    return DiagnosticsEngine::Warning;
}

void
Messages::HandleDiagnostic(DiagnosticsEngine::Level level,
                           const Diagnostic &info)
{
    if (info.getID() == stop || is_silent) {
        DiagnosticConsumer::HandleDiagnostic(level, info); /* counts it */
        return;
    }
    if (info.getID() == diag::err_ref_bad_target) {
        level = judge(info);
        has_errors |= level >= DiagnosticsEngine::Error;
        skips_notes = level == DiagnosticsEngine::Ignored;
    } else if (level != DiagnosticsEngine::Note) {
        skips_notes = false;
    }
    if (skips_notes)
        return;
    DiagnosticConsumer::HandleDiagnostic(level, info);
    printer->HandleDiagnostic(level, info);
}

} // namespace softwarp
