/* SPDX-License-Identifier: Apache-2.0 */
/* dialect.cpp - the plugin itself: its registration and its arguments. */
#include "cc/dialect/dialect.hpp"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

namespace softwarp
{

Options &
options()
{
    static Options the_options;
    return the_options;
}

namespace
{

class Consumer : public clang::ASTConsumer
{
  public:
    explicit Consumer(clang::CompilerInstance &compiler)
        : compiler(compiler),
          messages(Messages::put_before(compiler.getDiagnostics())),
          tokens(compiler, *messages)
    {
    }
    void HandleTagDeclDefinition(clang::TagDecl *tag) override
    {
        answer_about_lambda(tag);
    }
    void HandleTranslationUnit(clang::ASTContext &) override
    {
        messages->finish_source(compiler.getDiagnostics());
    }

  private:
    clang::CompilerInstance &compiler;
    Messages *messages;
    Tokens tokens;
};

class Dialect : public clang::PluginASTAction
{
    std::unique_ptr<clang::ASTConsumer>
    CreateASTConsumer(clang::CompilerInstance &compiler,
                      llvm::StringRef) override
    {
        if (!compiler.getLangOpts().CUDA)
            return std::make_unique<clang::ASTConsumer>();
        return std::make_unique<Consumer>(compiler);
    }
    bool ParseArgs(const clang::CompilerInstance &,
                   const std::vector<std::string> &args) override
    {
        static const std::string headers = "headers=", marker = "marker=";
        for (const std::string &arg : args) {
            if (arg.compare(0, headers.size(), headers) == 0)
                options().headers = arg.substr(headers.size()) + "/";
            else if (arg.compare(0, marker.size(), marker) == 0)
                options().marker = arg.substr(marker.size());
            else if (arg == "nested")
                options().is_nested = true;
            else if (arg == "device")
                options().is_device_default = true;
        }
        return true;
    }
    ActionType getActionType() override
    {
        return AddBeforeMainAction;
    }
};

clang::FrontendPluginRegistry::Add<Dialect> registration("softwarp",
                                                         "CUDA as nvcc has it");

} // namespace
} // namespace softwarp
