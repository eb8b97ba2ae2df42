/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spaces.cpp - a function's execution spaces are those of all its declarations.
 *
 * For clang a function for the host and one for the device are two functions,
 * even if they agree in all else. For nvcc they are one, and what one
 * declaration says holds for the others. So each function of the program's gets
 * the spaces of those declared before it, and gives them its own, before clang
 * compares them: an attribute of ours, which a pragma puts on every function,
 * is where clang calls us.
 */
#include "cc/dialect/dialect.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ASTLambda.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/ParsedAttrInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace softwarp
{

const char *const spaces_begin =
    "#pragma clang attribute push(__attribute__((softwarp_spaces)), "
    "apply_to = any(function, variable(unless(is_parameter))))\n";
const char *const spaces_end = "#pragma clang attribute pop\n";

namespace
{

enum { HOST = 1, DEVICE = 2, KERNEL = 4 };

unsigned
spaces_of(const FunctionDecl *f)
{
    return (f->hasAttr<CUDAHostAttr>() ? HOST : 0) |
           (f->hasAttr<CUDADeviceAttr>() ? DEVICE : 0) |
           (f->hasAttr<CUDAGlobalAttr>() ? KERNEL : 0);
}

void
add_spaces(FunctionDecl *f, unsigned spaces)
{
    ASTContext &context = f->getASTContext();
    if ((spaces & HOST) && !f->hasAttr<CUDAHostAttr>())
        f->addAttr(CUDAHostAttr::Create(context, f->getSourceRange()));
    if ((spaces & DEVICE) && !f->hasAttr<CUDADeviceAttr>())
        f->addAttr(CUDADeviceAttr::Create(context, f->getSourceRange()));
}

/* Not the program's: of the system, or of our headers. */
bool
is_foreign(const Decl *d)
{
    const SourceManager &sources = d->getASTContext().getSourceManager();
    SourceLocation place = sources.getExpansionLoc(d->getLocation());
    const std::string &headers = options().headers;
    auto *f = dyn_cast<FunctionDecl>(d);
    return d->isImplicit() || (f && f->getBuiltinID()) || place.isInvalid() ||
           sources.isInSystemHeader(place) ||
           (!headers.empty() && sources.getFilename(place).str().compare(
                                    0, headers.size(), headers) == 0);
}

/* template <> ... */
bool
is_specialization(const FunctionDecl *f)
{
    unsigned n = f->getNumTemplateParameterLists();
    return n && f->getTemplateParameterList(n - 1)->size() == 0;
}

/* Whether `f` declares the function that `found` does, or is a case of that
 * template. */
bool
declares(Sema &sema, FunctionDecl *f, FunctionDecl *found, bool is_template)
{
    if (is_template && !f->getDescribedFunctionTemplate())
        return is_specialization(f) &&
               f->getNumParams() == found->getNumParams();
    return !sema.IsOverload(f, found, /*UseMemberUsingDeclRules=*/false,
                            /*ConsiderCudaAttrs=*/false);
}

/* No attribute means the host, but for a function without template or class
 * that was declared for the device alone. */
unsigned
union_of(const FunctionDecl *f, unsigned own, unsigned others, bool is_template)
{
    if (others == DEVICE && !own && !isa<CXXMethodDecl>(f) && !is_template)
        return DEVICE;
    return (own ? own : (unsigned)HOST) | (others ? others : (unsigned)HOST);
}

void
unite(Sema &sema, FunctionDecl *f)
{
    DeclContext *where = f->getDeclContext()->getRedeclContext();
    if (where->isFunctionOrMethod() || !f->getDeclName())
        return;
    for (NamedDecl *name : where->lookup(f->getDeclName())) {
        auto *as_template = dyn_cast<FunctionTemplateDecl>(name);
        FunctionDecl *found = as_template ? as_template->getTemplatedDecl()
                                          : dyn_cast<FunctionDecl>(name);
        if (!found || found == f || (spaces_of(found) & KERNEL) ||
            is_foreign(found) || !declares(sema, f, found, as_template))
            continue;
        unsigned all = union_of(f, spaces_of(f), spaces_of(found), as_template);
        if (all == HOST)
            continue;
        add_spaces(f, all);
        add_spaces(found, all);
    }
}

/*
 * nvcc warns that the constructor of a __shared__ variable does something, and
 * does not call it; for clang that is an error. A variable with this attribute
 * gets no initializer, and in a function it means nothing else.
 */
void
leave_uninitialized(VarDecl *variable)
{
    ASTContext &context = variable->getASTContext();
    if (variable->isLocalVarDecl() && variable->hasAttr<CUDASharedAttr>() &&
        variable->getStorageClass() != SC_Extern)
        variable->addAttr(AliasAttr::CreateImplicit(context, "softwarp"));
}

/*
 * What names no space is the device's, if that was asked for: functions, and
 * variables that live as long as the program, but for constants of the
 * compiler, which are everybody's, and for what a function keeps: that is where
 * the function is.
 */
template <typename T>
void
give_to_device(T *decl)
{
    ASTContext &context = decl->getASTContext();
    decl->addAttr(CUDADeviceAttr::CreateImplicit(context));
}

void
take_function(FunctionDecl *f)
{
    if (!spaces_of(f) && !f->isConstexpr() && !isLambdaCallOperator(f))
        give_to_device(f);
}

void
take_variable(VarDecl *variable)
{
    if (variable->hasGlobalStorage() && !variable->isStaticLocal() &&
        !variable->isConstexpr() && !variable->hasAttr<CUDADeviceAttr>() &&
        !variable->hasAttr<CUDAConstantAttr>() &&
        !variable->hasAttr<CUDASharedAttr>())
        give_to_device(variable);
}

/* Host code may ask whether a closure for the device can be called, and what
 * it returns (std::invocable). It never calls it, so nothing is made of it. */
void
let_host_ask(FunctionDecl *f)
{
    if (isLambdaCallOperator(f) && spaces_of(f) == DEVICE)
        f->addAttr(CUDAHostAttr::CreateImplicit(f->getASTContext()));
}

/* For nvcc device code may ask what host code may: with which types a guide
 * deduces arguments of templates, and, in operands that are not evaluated, for
 * std::declval. Neither is ever called. */
void
let_device_ask(FunctionDecl *f)
{
    if (isa<CXXDeductionGuideDecl>(f) ||
        (f->isInStdNamespace() && f->getDeclName().isIdentifier() &&
         (f->getName() == "declval" || f->getName() == "__declval")))
        add_spaces(f, HOST | DEVICE);
}

/* The attribute. */
struct Spaces : ParsedAttrInfo {
    Spaces()
    {
        static constexpr Spelling spellings[] = {
            {ParsedAttr::AS_GNU, "softwarp_spaces"}};
        Spellings = spellings;
        IsSupportedByPragmaAttribute = 1;
    }
    void getPragmaAttributeMatchRules(
        llvm::SmallVectorImpl<std::pair<attr::SubjectMatchRule, bool>> &rules,
        const LangOptions &) const override
    {
        rules.push_back({attr::SubjectMatchRule_function, true});
        rules.push_back(
            {attr::SubjectMatchRule_variable_not_is_parameter, true});
    }
    AttrHandling handleDeclAttribute(Sema &sema, Decl *decl,
                                     const ParsedAttr &) const override
    {
        if (auto *variable = dyn_cast<VarDecl>(decl)) {
            leave_uninitialized(variable);
            if (options().is_device_default && !is_foreign(variable))
                take_variable(variable);
        }
        auto *f = dyn_cast<FunctionDecl>(decl);
        if (f && options().is_device_default && !is_foreign(f))
            take_function(f);
        if (f) {
            let_host_ask(f);
            let_device_ask(f);
        }
        if (!f || (spaces_of(f) & KERNEL) || is_foreign(f))
            return AttributeApplied;
        unite(sema, f);
        /* clang makes code of functions for both sides that are known outside
         * of the source, used or not, and then they may call no host
         * function. nvcc makes it of those that device code uses. */
        auto *method = dyn_cast<CXXMethodDecl>(f);
        if (sema.getLangOpts().CUDAIsDevice &&
            !sema.getLangOpts().GPURelocatableDeviceCode &&
            spaces_of(f) == (HOST | DEVICE) && !(method && method->isVirtual()))
            f->setImplicitlyInline();
        return AttributeApplied;
    }
};

ParsedAttrInfoRegistry::Add<Spaces>
    registration("softwarp_spaces", "execution spaces of all declarations");

} // namespace
} // namespace softwarp
