/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clang.cpp - clang as a program for OpenCL: from OpenCL C, or LLVM's code, to
 * LLVM's code or PTX.
 *
 *     softwarp-clang-19 CLANG ARGUMENT...
 *
 * takes the arguments of CLANG, the installed clang of the same version, whose
 * headers it uses, and says and returns what that would. It is one compilation
 * a process: nothing is freed at the end.
 */
#include <cstdio>
#include <memory>
#include <unistd.h>
#include <vector>

#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"

using namespace clang;
using llvm::ArrayRef;

extern "C" {
void LLVMInitializeNVPTXAsmPrinter();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
}

/* Debian's clang has Polly in it, and calls this whether it is asked for or
 * not. We have none. */
llvm::PassPluginLibraryInfo
getPollyPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder &) {}};
}

namespace
{

enum { FAILED = 1, BROKE = 70 }; /* exit statuses, as clang has them */

/* The compiler itself is at its end: `user` is the diagnostics engine. */
void
on_fatal(void *user, const char *message, bool)
{
    DiagnosticsEngine &diagnostics = *static_cast<DiagnosticsEngine *>(user);
    diagnostics.Report(diag::err_fe_error_backend) << message;
    _exit(BROKE);
}

std::unique_ptr<FrontendAction>
action_of(const FrontendOptions &options)
{
    switch (options.ProgramAction) {
    case frontend::EmitAssembly:
        return std::make_unique<EmitAssemblyAction>();
    case frontend::EmitBC:
        return std::make_unique<EmitBCAction>();
    case frontend::EmitLLVM:
        return std::make_unique<EmitLLVMAction>();
    default:
        return nullptr;
    }
}

/* Those of -mllvm. */
void
set_llvm_options(const std::vector<std::string> &options)
{
    std::vector<const char *> list{"clang"};
    for (const std::string &option : options)
        list.push_back(option.c_str());
    if (list.size() > 1)
        llvm::cl::ParseCommandLineOptions((int)list.size(), list.data());
}

/* `arguments` are those of clang -cc1. */
int
compile(const char *program, ArrayRef<const char *> arguments)
{
    auto *compiler = new CompilerInstance;
    auto *early = new TextDiagnosticBuffer; /* before options are known */
    DiagnosticsEngine diagnostics(new DiagnosticIDs, new DiagnosticOptions,
                                  early);
    bool ok = CompilerInvocation::CreateFromArgs(
        compiler->getInvocation(), arguments, diagnostics, program);
    compiler->createDiagnostics();
    if (!compiler->hasDiagnostics())
        return FAILED;
    llvm::install_fatal_error_handler(on_fatal, &compiler->getDiagnostics());
    early->FlushDiagnostics(compiler->getDiagnostics());
    if (!ok)
        return FAILED;
    const FrontendOptions &options = compiler->getFrontendOpts();
    set_llvm_options(options.LLVMArgs);
    std::unique_ptr<FrontendAction> action = action_of(options);
    if (!action) {
        std::fprintf(stderr, "error: softwarp-clang can't do this\n");
        return FAILED;
    }
    return compiler->ExecuteAction(*action.release()) ? 0 : FAILED;
}

/* As the driver of the clang at `path`. */
int
drive(const char *path, ArrayRef<const char *> arguments)
{
    IntrusiveRefCntPtr<DiagnosticOptions> options =
        CreateAndPopulateDiagOpts(arguments);
    auto *printer = new TextDiagnosticPrinter(llvm::errs(), &*options);
    printer->setPrefix("clang");
    DiagnosticsEngine diagnostics(new DiagnosticIDs, &*options, printer);
    ProcessWarningOptions(diagnostics, *options, false);
    auto *driver =
        new driver::Driver(path, LLVM_DEFAULT_TARGET_TRIPLE, diagnostics);
    driver::Compilation *all = driver->BuildCompilation(arguments);
    if (!all || all->containsError() || all->getJobs().size() != 1)
        return FAILED;
    const driver::Command &job = *all->getJobs().begin();
    ArrayRef<const char *> cc1 = job.getArguments();
    return compile(path, cc1.drop_front()); /* without "-cc1" */
}

} // namespace

int
main(int argc, char **argv)
{
    if (argc < 3) {
        std::fprintf(stderr, "usage: softwarp-clang CLANG ARGUMENT...\n");
        return 2;
    }
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    llvm::SmallString<256> path;
    if (llvm::sys::fs::real_path(argv[1], path))
        path = argv[1];
    int status =
        drive(path.c_str(), ArrayRef<const char *>(argv + 1, argv + argc));
    llvm::outs().flush();
    std::fflush(nullptr);
    _exit(status);
}
