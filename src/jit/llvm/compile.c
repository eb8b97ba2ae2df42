/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - from a request to objects: the LLVM modules, their passes, the
 * machine. Each part of a kernel has an LLVM context of its own, so any number
 * may be compiled side by side.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/settings.h"
#include "jit/emit/emit.h"
#include "jit/llvm/heap.h"
#include "jit/llvm/passes.h"
#include "jit/tune.h"
#include "opt/tune.h"

#define EXPORT   __attribute__((visibility("default")))
#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

/* Few passes, all of them linear in practice: what the emitted code needs is
 * values instead of slots, common parts once, and what a loop does not change
 * out of it. */
#define PASSES                                                                 \
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,"                 \
    "instcombine<no-verify-fixpoint;max-iterations=1>,"                        \
    "loop-mssa(loop-rotate,licm<allowspeculation>),"                           \
    "early-cse<memssa>,simplifycfg,adce)"
#define PASSES_LARGE "function(sroa<modify-cfg>,early-cse,simplifycfg,adce)"
#define TRIPLE       "x86_64-pc-linux-gnu"
#define EFFORT       "-grow-region-complexity-budget"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *host_cpu, *host_features; /* LLVM's names */

/* In the buffer, which the caller finishes. */
static const char *
option(sw_buf *text, const char *name, uint32_t value)
{
    sw_buf_init(text);
    sw_buf_printf(text, "%s=%u", name, (unsigned)value);
    return text->p;
}

/* Code has lines, but no variables: where LLVM would look for these by default
 * takes it a tenth of the time, or a fifth. Its schedulers compare each load
 * and store of a block with every other until they are 1,000: lanes one by one
 * are soon that many. What prepares functions for its code generator goes
 * through all of one again after each change; not so of huge ones, which by
 * default have 10,000 blocks. */
static void
initialise(void)
{
    sw_buf text[3];
    const char *options[] = {
        "softwarp", "-experimental-debug-variable-locations=false",
        option(&text[0], "-dag-maps-huge-region", sw_jit_tune.llvm_region),
        option(&text[1], "-cgpp-huge-func", sw_jit_tune.llvm_huge_function),
        option(&text[2], EFFORT, sw_jit_tune.effort)};
    LLVMParseCommandLineOptions(sizeof options / sizeof *options, options,
                                NULL);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        sw_buf_finish(&text[i]);
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    host_cpu = LLVMGetHostCPUName();
    host_features = LLVMGetHostCPUFeatures();
}

static char *
fail(const char *what, const char *message)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text, "%s: %s", what, message ? message : "?");
    char *taken = sw_buf_take(&text);
    sw_buf_finish(&text);
    return taken;
}

/* How long LLVM's register allocator looks where to split what lives long: of
 * large functions it is half of the time, of small ones it is worth it. LLVM
 * has it as an option of the process; a function that another thread compiles
 * meanwhile becomes a little slower or takes a little longer. */
static void
set_effort(bool is_large)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool was_large;
    sw_buf text;
    const char *options[] = {
        "softwarp",
        option(&text, EFFORT,
               is_large ? sw_jit_tune.effort_large : sw_jit_tune.effort)};
    pthread_mutex_lock(&lock);
    if (is_large != was_large)
        LLVMParseCommandLineOptions(2, options, NULL);
    was_large = is_large;
    pthread_mutex_unlock(&lock);
    sw_buf_finish(&text);
}

/* Machines that nobody uses: LLVM takes half a millisecond to learn what one
 * can, for each processor once. A machine is of none: functions say for which
 * they are (set_attributes), and LLVM would learn it twice. */
enum { MOST_SPARE = 8 };
static struct {
    pthread_mutex_t lock;
    LLVMTargetMachineRef machines[MOST_SPARE];
    unsigned count;
} spare = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The target is linked in: it cannot be missing. */
static LLVMTargetMachineRef
make_machine(void)
{
    pthread_mutex_lock(&spare.lock);
    LLVMTargetMachineRef machine =
        spare.count ? spare.machines[--spare.count] : NULL;
    pthread_mutex_unlock(&spare.lock);
    if (machine)
        return machine;
    LLVMTargetRef target;
    char *why = NULL;
    SW_ASSERT(!LLVMGetTargetFromTriple(TRIPLE, &target, &why));
    return LLVMCreateTargetMachine(target, TRIPLE, "", "",
                                   LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                   LLVMCodeModelSmall);
}

static void
give_back_machine(LLVMTargetMachineRef machine)
{
    pthread_mutex_lock(&spare.lock);
    if (spare.count < MOST_SPARE) {
        spare.machines[spare.count++] = machine;
        machine = NULL;
    }
    pthread_mutex_unlock(&spare.lock);
    if (machine)
        LLVMDisposeTargetMachine(machine);
}

static void
add_attribute(LLVMContextRef context, LLVMValueRef fn, const char *key,
              const char *value)
{
    LLVMAddAttributeAtIndex(
        fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(context, key, (unsigned)strlen(key), value,
                                  (unsigned)strlen(value)));
}

static void
add_enum_attribute(LLVMContextRef context, LLVMValueRef fn, const char *name,
                   uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, value));
}

/* A part: its function and what is made of it. */
typedef struct {
    sw_jit_emit e; /* as it was when the part was emitted */
    uint64_t instructions;
    const char *cpu, *features;
    LLVMMemoryBufferRef object; /* NULL: it failed */
    char *message;              /* why */
    double passes_ms, code_ms;  /* of processor time */
} job;

static uint64_t
count_instructions(const sw_jit_emit *e)
{
    uint64_t n = 0;
    uint32_t count;
    const sw_jit_range *ranges = sw_jit_ranges(e->plan, &count);
    for (uint32_t i = 0; i < count; i++)
        if (ranges[i].partition == e->f.partition)
            n += ranges[i].end - ranges[i].first;
    return n;
}

static bool
optimise(job *j, LLVMTargetMachineRef machine)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(
        j->e.ll.module,
        j->instructions > sw_jit_tune.passes_size ? PASSES_LARGE : PASSES,
        machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *why = LLVMGetErrorMessage(error);
    j->message = fail("passes", why);
    LLVMDisposeErrorMessage(why);
    return false;
}

static void
dump(const sw_jit_emit *e, const char *stage)
{
    const char *dir = sw_setting(SW_SETTING_JIT_DUMP);
    if (!dir)
        return;
    sw_buf path;
    sw_buf_init(&path);
    sw_buf_printf(&path, "%s/%.200s", dir, e->plan->fn->name);
    if (!e->f.is_one)
        sw_buf_printf(&path, ".%u", e->f.number);
    sw_buf_printf(&path, ".%s.ll", stage);
    char *why = NULL;
    if (LLVMPrintModuleToFile(e->ll.module, path.p, &why)) {
        sw_log(SW_LOG_WARN, "%s: %s", path.p, why);
        LLVMDisposeMessage(why);
    }
    sw_buf_finish(&path);
}

static void
take_tables(sw_jit_emit *e, sw_jit_result *result)
{
    result->site_count = (uint32_t)e->k.sites.count;
    result->sites = sw_alloc((e->k.sites.count + 1) * sizeof *result->sites);
    if (e->k.sites.count)
        memcpy(result->sites, e->k.sites.data,
               e->k.sites.count * sizeof *result->sites);
    result->latch_count = e->plan->cfg->loop_count;
    result->latches =
        sw_alloc((e->plan->cfg->loop_count + 1) * sizeof *result->latches);
    for (uint32_t l = 1; l < e->plan->cfg->loop_count; l++)
        result->latches[l] =
            (sw_jit_latch){e->plan->first_ins[e->plan->cfg->loops[l].header],
                           e->plan->cfg->loops[l].latch};
    result->sym_count = (uint32_t)e->k.syms.count;
    result->syms = sw_alloc((e->k.syms.count + 1) * sizeof *result->syms);
    if (e->k.syms.count)
        memcpy(result->syms, e->k.syms.data,
               e->k.syms.count * sizeof *result->syms);
    result->fused = e->lanes / 32;
    result->has_wide = e->plan->has_wide;
    result->has_local_rows = e->plan->has_local_rows;
    result->flushes = e->ll.flushes;
    result->block_loop = e->plan->block_loop;
    result->phases = e->plan->phases;
    sw_jit_exits_take(e, result);
    if (e->plan->rq->is_osr)
        sw_jit_osr_take(e, result);
    sw_jit_counter_take(e, result);
}

/* For whom the functions are compiled. */
static void
set_attributes(const sw_jit_emit *e, const char *cpu, const char *features)
{
    sw_buf tuned;
    sw_buf_init(&tuned);
    /* With the instructions for halves two random kernels got other predicates
     * than the interpreter (random/kept: f16_*.ptx); not found out why. */
    sw_buf_printf(&tuned, "%s%s-avx512fp16", features, *features ? "," : "");
    for (LLVMValueRef fn = LLVMGetFirstFunction(e->ll.module); fn;
         fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn))
            continue;
        add_attribute(e->ll.context, fn, "target-cpu", cpu);
        add_attribute(e->ll.context, fn, "target-features", tuned.p);
        add_attribute(e->ll.context, fn, "prefer-vector-width", "512");
        if (e->ll.flushes)
            add_attribute(e->ll.context, fn, "denormal-fp-math",
                          SW_JIT_DENORMALS);
        add_attribute(e->ll.context, fn, "warn-stack-size",
                      e->plan->fn->is_entry ? TEXT(SW_JIT_FRAME_MAX)
                                            : TEXT(SW_JIT_CALLED_FRAME_MAX));
        add_enum_attribute(e->ll.context, fn, "nounwind", 0);
        add_enum_attribute(e->ll.context, fn, "alignstack", 64);
    }
    sw_buf_finish(&tuned);
}

static bool
verify(job *j)
{
    char *why = NULL;
    if (!sw_setting_is(SW_SETTING_JIT_VERIFY, "1"))
        return true;
    bool is_broken =
        LLVMVerifyModule(j->e.ll.module, LLVMReturnStatusAction, &why);
    if (is_broken)
        j->message = fail("the compiler made wrong code", why);
    LLVMDisposeMessage(why);
    return !is_broken;
}

/* LLVM has something to say: that a frame is too large, or that it fails. */
static void
take_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    char **message = data;
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    if (*message || severity > LLVMDSWarning)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    *message = fail("no machine code", text);
    LLVMDisposeMessage(text);
}

static void
make_object(job *j, LLVMTargetMachineRef machine)
{
    char *why = NULL;
    dump(&j->e, "last");
    set_effort(j->instructions > sw_jit_tune.passes_size ||
               LLVMCountBasicBlocks(j->e.f.function) >
                   sw_jit_tune.effort_blocks);
    LLVMContextSetDiagnosticHandler(j->e.ll.context, take_diagnostic,
                                    &j->message);
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, j->e.ll.module,
                                            LLVMObjectFile, &why, &j->object)) {
        sw_free(j->message);
        j->message = fail("no machine code", why);
        j->object = NULL;
        LLVMDisposeMessage(why);
    }
    if (j->message && j->object) {
        LLVMDisposeMemoryBuffer(j->object);
        j->object = NULL;
    }
}

/* Processor time of the thread: others may run beside it. */
static double
now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void
open_module(sw_jit_emit *e, const char *name)
{
    e->ll.context = LLVMContextCreate();
    e->ll.module = LLVMModuleCreateWithNameInContext(name, e->ll.context);
    e->ll.builder = LLVMCreateBuilderInContext(e->ll.context);
}

static void
close_module(sw_jit_emit *e)
{
    LLVMDisposeBuilder(e->ll.builder);
    LLVMDisposeModule(e->ll.module);
    LLVMContextDispose(e->ll.context);
}

/* The module is made; now the object. */
static void
compile_part(job *j)
{
    LLVMTargetMachineRef machine = make_machine();
    double start = now_ms();
    if (verify(j) && optimise(j, machine)) {
        sw_jit_expand_masks(&j->e);
        sw_jit_sink_rare(&j->e);
        sw_jit_cut_chains(&j->e);
        sw_jit_alu_finish(&j->e.ll);
        double optimised = now_ms();
        j->passes_ms = optimised - start;
        make_object(j, machine);
        j->code_ms = now_ms() - optimised;
    }
    give_back_machine(machine);
    close_module(&j->e);
}

/* Parts are taken from the last to the first. */
typedef struct {
    job *jobs;
    atomic_uint left;
} queue;

static void *
work(void *arg)
{
    queue *q = arg;
    for (unsigned n = atomic_load(&q->left); n;)
        if (atomic_compare_exchange_weak(&q->left, &n, n - 1)) {
            compile_part(&q->jobs[n - 1]);
            n = atomic_load(&q->left);
        }
    return NULL;
}

/* By this thread, and by others if there is something for them. */
static void
compile_parts(job *jobs, unsigned count, unsigned threads)
{
    queue q = {.jobs = jobs};
    atomic_init(&q.left, count);
    unsigned helpers = threads < count ? threads : count, started = 0;
    pthread_t *all = sw_alloc((helpers + 1) * sizeof *all);
    while (started + 1 < helpers &&
           !pthread_create(&all[started], NULL, work, &q))
        started++;
    work(&q);
    while (started)
        pthread_join(all[--started], NULL);
    sw_free(all);
}

/* Nobody wants more than the first dump. */
static void
drop_parts(job *jobs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        close_module(&jobs[i].e);
        jobs[i].message = fail("no machine code", "SOFTWARP_JIT_DUMP_ONLY");
    }
}

static void
emit_part(sw_jit_emit *e, uint32_t part, LLVMTargetDataRef layout, job *j)
{
    open_module(e, e->plan->fn->name);
    LLVMSetTarget(e->ll.module, TRIPLE);
    LLVMSetModuleDataLayout(e->ll.module, layout);
    sw_jit_emit_part(e, part);
    sw_jit_lines_close(e);
    set_attributes(e, j->cpu, j->features);
    dump(e, "first");
    /* The passes need no more of it. */
    j->e = (sw_jit_emit){.ll = e->ll,
                         .k = e->k,
                         .plan = e->plan,
                         .lanes = e->lanes,
                         .t = e->t,
                         .f = {.function = e->f.function,
                               .partition = e->f.partition,
                               .number = e->f.number,
                               .is_one = e->f.is_one}};
    j->instructions = count_instructions(e);
}

/* The objects one after the other; or why there are none. */
static void
take_objects(job *jobs, uint32_t count, sw_jit_result *result)
{
    bool ok = true;
    for (uint32_t i = 0; i < count; i++) {
        ok = ok && jobs[i].object;
        if (jobs[i].message && !result->message)
            result->message = jobs[i].message;
        else
            sw_free(jobs[i].message);
    }
    result->partition_bytes = sw_alloc(count * sizeof *result->partition_bytes);
    result->partition_count = count;
    for (uint32_t i = 0; ok && i < count; i++)
        result->object_bytes += result->partition_bytes[i] =
            LLVMGetBufferSize(jobs[i].object);
    if (ok)
        result->object = sw_alloc(result->object_bytes);
    uint8_t *to = result->object;
    for (uint32_t i = 0; i < count; i++) {
        if (ok) {
            memcpy(to, LLVMGetBufferStart(jobs[i].object),
                   result->partition_bytes[i]);
            to += result->partition_bytes[i];
        }
        if (jobs[i].object)
            LLVMDisposeMemoryBuffer(jobs[i].object);
    }
}

static void
tell(const sw_jit_emit *e, const job *jobs, uint32_t count, double emit_ms,
     uint64_t wall_ns, const sw_jit_result *result)
{
    double passes = 0, code = 0;
    uint64_t instructions = 0;
    for (uint32_t i = 0; i < count; i++) {
        passes += jobs[i].passes_ms;
        code += jobs[i].code_ms;
        instructions += jobs[i].instructions;
    }
    sw_log(SW_LOG_DEBUG,
           "compiled %s for %u lanes: %llu instructions, emit %.1f ms, passes "
           "%.1f ms, code %.1f ms, %zu bytes; parts %u, together %.1f ms",
           e->plan->rq->kernel->name, e->lanes,
           (unsigned long long)instructions, emit_ms, passes, code,
           result->object_bytes, count, (double)wall_ns * 1e-6);
}

static void
translate(sw_jit_emit *e, const sw_jit_request *rq, const char *cpu,
          const char *features, sw_jit_result *result)
{
    LLVMTargetMachineRef machine = make_machine();
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    uint64_t begin = sw_time_ns();
    double start = now_ms();
    open_module(e, rq->kernel->name); /* to look by what could be emitted */
    uint32_t count = sw_jit_emit_open(e, rq);
    close_module(e);
    job *jobs = sw_alloc(count * sizeof *jobs);
    for (uint32_t i = 0; i < count; i++) {
        jobs[i].cpu = cpu;
        jobs[i].features = features;
        emit_part(e, i, layout, &jobs[i]);
    }
    double emitted = now_ms();
    if (sw_setting_is(SW_SETTING_JIT_DUMP_ONLY, "1"))
        drop_parts(jobs, count);
    else
        compile_parts(jobs, count, e->plan->rq->threads);
    take_objects(jobs, count, result);
    tell(e, jobs, count, emitted - start, sw_time_ns() - begin, result);
    sw_free(jobs);
    LLVMDisposeTargetData(layout);
    give_back_machine(machine);
}

/* This library has its own copy of opt and of jit/tune.c. */
static void
take_tune(const char *text)
{
    static const sw_tune_table *const tables[] = {&sw_opt_tune_table,
                                                  &sw_jit_tune_table};
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_taken;
    pthread_mutex_lock(&lock);
    if (text && !is_taken)
        sw_tune_set(tables, sizeof tables / sizeof *tables, text, NULL);
    is_taken = true;
    pthread_mutex_unlock(&lock);
}

EXPORT void
sw_jit_compile(const sw_jit_request *request, sw_jit_result *result)
{
    take_tune(request->tune);
    pthread_once(&once, initialise);
    memset(result, 0, sizeof *result);
    const char *cpu = request->cpu ? request->cpu : host_cpu;
    const char *features = request->features ? request->features
                           : request->cpu    ? ""
                                             : host_features;
    sw_jit_emit e = {0};
    sw_jit_alu_detect(&e.ll, cpu, features);
    e.k.has_avx2 = e.ll.has_fma; /* Haswell has both */
    e.k.has_slow_gathers = strncmp(cpu, "znver", 5) == 0;
    e.k.foresees_streams = e.k.has_slow_gathers; /* the same family, too */
    translate(&e, request, cpu, features, result);
    take_tables(&e, result);
    sw_jit_emit_finish(&e);
    sw_jit_heap_trim();
}

EXPORT void
sw_jit_free(sw_jit_result *result)
{
    sw_free(result->object);
    sw_free(result->partition_bytes);
    sw_free(result->lanes);
    sw_free(result->sites);
    sw_free(result->syms);
    sw_free(result->latches);
    sw_free(result->side_exits);
    sw_free(result->locations);
    sw_free(result->stack_map);
    sw_free(result->entries);
    sw_free(result->points);
    sw_free(result->rows);
    sw_free(result->accesses);
    sw_free(result->message);
    memset(result, 0, sizeof *result);
}
