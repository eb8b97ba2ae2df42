/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lambdas.cpp - what kind of lambda a type is the closure of: the numbers in
 * __softwarp_closure<type> (include/cuda/cuda_runtime.h), which are 0 for all
 * others.
 */
#include "cc/dialect/dialect.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace softwarp
{
namespace
{

template <class A>
bool
is_written(const FunctionDecl *f)
{
    const A *attribute = f->getAttr<A>();
    return attribute && !attribute->isImplicit();
}

void
set(CXXRecordDecl *record, llvm::StringRef name)
{
    for (Decl *member : record->decls()) {
        auto *numbers = dyn_cast<EnumDecl>(member);
        if (!numbers)
            continue;
        for (EnumConstantDecl *number : numbers->enumerators())
            if (number->getName() == name)
                number->setInitVal(
                    record->getASTContext(),
                    llvm::APSInt(llvm::APInt(32, 1), /*isUnsigned=*/true));
    }
}

} // namespace

void
answer_about_lambda(TagDecl *tag)
{
    auto *record = dyn_cast<ClassTemplateSpecializationDecl>(tag);
    if (!record || !record->getIdentifier() ||
        record->getName() != "__softwarp_closure")
        return;
    const TemplateArgument &type = record->getTemplateArgs()[0];
    if (type.getKind() != TemplateArgument::Type)
        return;
    const CXXRecordDecl *closure = type.getAsType()->getAsCXXRecordDecl();
    if (!closure || !closure->isLambda())
        return;
    const CXXMethodDecl *call = closure->getLambdaCallOperator();
    if (!call || !is_written<CUDADeviceAttr>(call))
        return;
    set(record, is_written<CUDAHostAttr>(call) ? "is_both" : "is_device");
}

} // namespace softwarp
