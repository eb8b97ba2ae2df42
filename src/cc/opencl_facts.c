/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_facts.c - what a host must know of kernels, as comments of PTX.
 *
 * Names, types and attributes stand in LLVM's text as metadata of each
 * kernel, sizes and places in the PTX. Both become lines in front of the PTX:
 *
 *     // softwarp opencl 1 <flags>
 *     // kernel <name> <required size> <hint> <attributes>
 *     // argument <kind> <address> <access> <qualifier> <offset> <size>
 *     //     <alignment> <type> <name>      (one line)
 *     // softwarp end
 *
 * with tabs between what is in brackets here, numbers in decimal.
 */
#include <stdlib.h>
#include <string.h>

#include "cc/opencl_private.h"

#define FIRST_LINE "// softwarp opencl 1\t"
#define LAST_LINE  "// softwarp end\n"
#define KERNEL     "// kernel\t"
#define ARGUMENT   "// argument\t"

/* Of cl.h. */
enum {
    ADDRESS_GLOBAL = 0x119B,
    ADDRESS_LOCAL = 0x119C,
    ADDRESS_CONSTANT = 0x119D,
    ADDRESS_PRIVATE = 0x119E,
    ACCESS_READ_ONLY = 0x11A0,
    ACCESS_WRITE_ONLY = 0x11A1,
    ACCESS_READ_WRITE = 0x11A2,
    ACCESS_NONE = 0x11A3,
    TYPE_CONST = 1,
    TYPE_RESTRICT = 2,
    TYPE_VOLATILE = 4,
    TYPE_PIPE = 8,
};

enum { VERBOSE = 1, UNIFORM = 2 }; /* flags */

/* ---- text ---- */

static const char *
find(sw_str in, const char *what)
{
    return in.n ? memmem(in.p, in.n, what, strlen(what)) : NULL;
}

static sw_str
behind(sw_str s, const char *at)
{
    return (sw_str){at, (size_t)(s.p + s.n - at)};
}

/* The next line of *rest, without its end; false: there is none. */
static bool
take_line(sw_str *rest, sw_str *line)
{
    if (!rest->n)
        return false;
    const char *end = memchr(rest->p, '\n', rest->n);
    line->p = rest->p;
    line->n = end ? (size_t)(end - rest->p) : rest->n;
    *rest = behind(*rest, line->p + line->n + (end ? 1 : 0));
    return true;
}

static uint32_t
number_at(const char *p)
{
    return (uint32_t)strtoul(p, NULL, 10); /* the text ends somewhere */
}

/* ---- metadata: !5 = !{i32 1, !"float*"} ---- */

/* What stands in the braces of node `number`. */
static sw_str
node(sw_str text, uint32_t number)
{
    char start[32];
    snprintf(start, sizeof start, "\n!%u = !{", number);
    const char *at = find(text, start);
    if (!at)
        return (sw_str){NULL, 0};
    sw_str body = behind(text, at + strlen(start));
    const char *end = memchr(body.p, '\n', body.n);
    body.n = end ? (size_t)(end - body.p) : body.n;
    while (body.n && body.p[body.n - 1] != '}')
        body.n--;
    body.n -= body.n > 0;
    return body;
}

/* The node that is attached to a kernel under this name. */
static sw_str
attached(sw_str text, sw_str define, const char *name)
{
    const char *at = find(define, name);
    return at ? node(text, number_at(at + strlen(name))) : (sw_str){NULL, 0};
}

/* Takes the next element of a node's; commas in strings and brackets do not
 * count. */
static sw_str
take_element(sw_str *rest)
{
    size_t n = 0, depth = 0;
    bool quoted = false;
    for (; n < rest->n; n++) {
        char c = rest->p[n];
        quoted ^= c == '"';
        if (quoted)
            continue;
        depth += c == '(' || c == '<' || c == '{' || c == '[';
        depth -= c == ')' || c == '>' || c == '}' || c == ']';
        if (c == ',' && depth == 0)
            break;
    }
    sw_str element = {rest->p, n};
    n += n < rest->n;
    while (n < rest->n && rest->p[n] == ' ')
        n++;
    *rest = behind(*rest, rest->p + n);
    return element;
}

/* !"a\22b" as it is meant; tabs and newlines, which end fields, as spaces. */
static void
put_string(sw_str element, sw_buf *out)
{
    const char *p = memchr(element.p, '"', element.n);
    const char *end = element.p + element.n;
    for (p = p ? p + 1 : end; p < end && *p != '"'; p++) {
        char c = *p;
        if (c == '\\' && end - p > 2) {
            char digits[3] = {p[1], p[2], 0};
            c = (char)strtoul(digits, NULL, 16);
            p += 2;
        }
        sw_buf_put(out, c == '\t' || c == '\n' ? ' ' : c);
    }
}

/* Of "i32 7"; 0 if it is none. */
static uint32_t
integer_of(sw_str element)
{
    const char *space = element.n ? memchr(element.p, ' ', element.n) : NULL;
    return space ? number_at(space + 1) : 0;
}

/* ---- parameters in PTX ---- */

typedef struct {
    uint32_t size, alignment;
} parameter;

static const struct {
    const char *type;
    uint32_t size;
} types[] = {{".b8 ", 1},  {".u8 ", 1},  {".s8 ", 1},  {".b16 ", 2},
             {".u16 ", 2}, {".s16 ", 2}, {".f16 ", 2}, {".b32 ", 4},
             {".u32 ", 4}, {".s32 ", 4}, {".f32 ", 4}, {".b64 ", 8},
             {".u64 ", 8}, {".s64 ", 8}, {".f64 ", 8}};

/* ".param .align 16 .b8 f_param_0[32]" */
static parameter
read_parameter(sw_str line)
{
    parameter p = {0, 0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (find(line, types[i].type))
            p.size = p.alignment = types[i].size;
    const char *align = find(line, ".align "), *count = find(line, "[");
    const char *pointer = find(line, ".ptr");
    if (align && !pointer)
        p.alignment = number_at(align + 7);
    if (count)
        p.size *= number_at(count + 1);
    return p;
}

/* Those of a kernel, in order. */
static void
read_parameters(sw_str ptx, sw_str name, sw_vec *out)
{
    sw_buf start;
    sw_buf_init(&start);
    sw_buf_printf(&start, ".entry %.*s(", (int)name.n, name.p);
    const char *at = find(ptx, start.p);
    sw_str rest = at ? behind(ptx, at + start.n) : (sw_str){NULL, 0}, line;
    while (take_line(&rest, &line) && !sw_str_has_prefix(line, ")"))
        if (find(line, ".param "))
            *(parameter *)sw_vec_push(out) = read_parameter(line);
    sw_buf_finish(&start);
}

/* ---- writing ---- */

static void
put_sizes(sw_str body, sw_buf *out)
{
    for (int d = 0; d < 3; d++)
        sw_buf_printf(out, "%u\t",
                      body.n ? integer_of(take_element(&body)) : 0);
}

/* "<4 x float> undef, i32 0" as "float4"; the second says whether integers are
 * signed. */
static void
put_vector_type(sw_str body, sw_buf *out)
{
    static const char *const names[][3] = {
        {"i8", "uchar", "char"},       {"i16", "ushort", "short"},
        {"i32", "uint", "int"},        {"i64", "ulong", "long"},
        {"half", "half", "half"},      {"float", "float", "float"},
        {"double", "double", "double"}};
    sw_str type = take_element(&body);
    uint32_t is_signed = integer_of(body), width = 0;
    if (cc_take(&type, "<")) {
        width = number_at(type.p);
        const char *x = find(type, "x ");
        if (x)
            type = behind(type, x + 2);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sw_str_has_prefix(type, names[i][0])) {
            sw_buf_puts(out, names[i][1 + (is_signed != 0)]);
            break;
        }
    if (width)
        sw_buf_printf(out, "%u", width);
}

/* As CL_KERNEL_ATTRIBUTES has them: with a space between. */
static void
put_attributes(sw_str text, sw_str define, sw_buf *out)
{
    static const char *const sizes[][2] = {
        {"!reqd_work_group_size !", "reqd_work_group_size"},
        {"!work_group_size_hint !", "work_group_size_hint"}};
    const char *space = "";
    for (int i = 0; i < 2; i++) {
        sw_str body = attached(text, define, sizes[i][0]);
        if (!body.n)
            continue;
        uint32_t n[3];
        for (int d = 0; d < 3; d++)
            n[d] = integer_of(take_element(&body));
        sw_buf_printf(out, "%s%s(%u,%u,%u)", space, sizes[i][1], n[0], n[1],
                      n[2]);
        space = " ";
    }
    sw_str hint = attached(text, define, "!vec_type_hint !");
    if (hint.n) {
        sw_buf_printf(out, "%svec_type_hint(", space);
        put_vector_type(hint, out);
        sw_buf_puts(out, ")");
    }
}

static uint32_t
address_of(uint32_t space)
{
    static const uint32_t addresses[] = {ADDRESS_PRIVATE, ADDRESS_GLOBAL,
                                         ADDRESS_CONSTANT, ADDRESS_LOCAL};
    return space < 4 ? addresses[space] : ADDRESS_GLOBAL;
}

static uint32_t
access_of(sw_str element)
{
    return find(element, "read_only")    ? ACCESS_READ_ONLY
           : find(element, "write_only") ? ACCESS_WRITE_ONLY
           : find(element, "read_write") ? ACCESS_READ_WRITE
                                         : ACCESS_NONE;
}

static uint32_t
qualifier_of(sw_str element)
{
    return (find(element, "const") ? TYPE_CONST : 0u) |
           (find(element, "restrict") ? TYPE_RESTRICT : 0u) |
           (find(element, "volatile") ? TYPE_VOLATILE : 0u) |
           (find(element, "pipe") ? TYPE_PIPE : 0u);
}

/* "image2d_array_depth_t"; the program's own types may begin so, too. */
static bool
is_image(sw_str base_type)
{
    sw_str rest = base_type;
    bool begins = cc_take(&rest, "!\"image1d_") ||
                  cc_take(&rest, "!\"image2d_") ||
                  cc_take(&rest, "!\"image3d_");
    return begins && find(rest, "t\"") && !find(rest, "*");
}

static sw_cl_arg_kind
kind_of(sw_str base_type, uint32_t space, uint32_t qualifier)
{
    return qualifier & TYPE_PIPE              ? SW_CL_ARG_PIPE
           : is_image(base_type)              ? SW_CL_ARG_IMAGE
           : find(base_type, "\"sampler_t\"") ? SW_CL_ARG_SAMPLER
           : space == 3                       ? SW_CL_ARG_LOCAL
           : space != 0                       ? SW_CL_ARG_POINTER
                                              : SW_CL_ARG_VALUE;
}

/* "ptr addrspace(3) noundef align 16 %0": 16. */
static uint32_t
alignment_of(sw_str formal)
{
    const char *at = find(formal, " align ");
    return at ? number_at(at + 7) : 1;
}

static void
write_arguments(sw_str text, sw_str define, sw_str name, sw_str ptx,
                sw_buf *out)
{
    sw_str space = attached(text, define, "!kernel_arg_addr_space !");
    sw_str access = attached(text, define, "!kernel_arg_access_qual !");
    sw_str type = attached(text, define, "!kernel_arg_type !");
    sw_str base = attached(text, define, "!kernel_arg_base_type !");
    sw_str qualifier = attached(text, define, "!kernel_arg_type_qual !");
    sw_str names = attached(text, define, "!kernel_arg_name !");
    sw_str formals = behind(define, name.p + name.n + 1);
    sw_vec parameters;
    uint32_t at = 0;

    sw_vec_init(&parameters, sizeof(parameter));
    read_parameters(ptx, name, &parameters);
    for (size_t i = 0; i < parameters.count && space.n; i++) {
        const parameter *p = sw_vec_at(&parameters, i);
        uint32_t from = integer_of(take_element(&space));
        uint32_t bits = qualifier_of(take_element(&qualifier));
        at = (at + p->alignment - 1) / p->alignment * p->alignment;
        sw_buf_printf(out, ARGUMENT "%d\t%u\t%u\t%u\t%u\t%u\t%u\t",
                      kind_of(take_element(&base), from, bits),
                      address_of(from), access_of(take_element(&access)), bits,
                      at, p->size, alignment_of(take_element(&formals)));
        put_string(take_element(&type), out);
        sw_buf_puts(out, "\t");
        put_string(take_element(&names), out);
        sw_buf_puts(out, "\n");
        at += p->size;
    }
    sw_vec_finish(&parameters);
}

bool
cl_is_uniform(sw_str text)
{
    return !find(text, "\"uniform-work-group-size\"=\"false\"");
}

void
cl_write_facts(sw_str text, sw_str ptx, const cl_options *options, sw_buf *out)
{
    bool uniform = cl_is_uniform(text);
    sw_buf_printf(out, FIRST_LINE "%d\n",
                  (options->verbose ? VERBOSE : 0) | (uniform ? UNIFORM : 0));
    sw_str rest = text, line;
    while (take_line(&rest, &line)) {
        const char *at = find(line, "@");
        if (!sw_str_has_prefix(line, "define ") || !at ||
            !find(line, "!kernel_arg_addr_space !"))
            continue;
        sw_str name = cc_ir_name_at(at, line.p + line.n);
        name = (sw_str){name.p + 1, name.n - 1};
        sw_buf_printf(out, KERNEL "%.*s\t", (int)name.n, name.p);
        put_sizes(attached(text, line, "!reqd_work_group_size !"), out);
        put_sizes(attached(text, line, "!work_group_size_hint !"), out);
        put_attributes(text, line, out);
        sw_buf_puts(out, "\n");
        write_arguments(text, line, name, ptx, out);
    }
    sw_buf_puts(out, LAST_LINE);
}

/* ---- reading ---- */

/* Up to the next tab, or all. */
static sw_str
take_field(sw_str *line)
{
    const char *tab = line->n ? memchr(line->p, '\t', line->n) : NULL;
    sw_str field = {line->p, tab ? (size_t)(tab - line->p) : line->n};
    *line = behind(*line, field.p + field.n + (tab ? 1 : 0));
    return field;
}

static bool
take_number(sw_str *line, uint32_t *out)
{
    uint64_t n;
    if (!sw_str_to_u64(take_field(line), 10, &n) || n > UINT32_MAX)
        return false;
    *out = (uint32_t)n;
    return true;
}

static bool
read_kernel(sw_str line, sw_cl_kernel *k, sw_arena *arena)
{
    bool ok = true;
    k->name = sw_arena_str(arena, take_field(&line));
    for (int d = 0; d < 3; d++)
        ok = ok && take_number(&line, &k->required_size[d]);
    for (int d = 0; d < 3; d++)
        ok = ok && take_number(&line, &k->size_hint[d]);
    k->attributes = sw_arena_str(arena, line);
    return ok && *k->name;
}

static bool
read_argument(sw_str line, sw_cl_argument *a, sw_arena *arena)
{
    uint32_t kind = 0, qualifier = 0;
    bool ok = take_number(&line, &kind) && take_number(&line, &a->address) &&
              take_number(&line, &a->access) &&
              take_number(&line, &qualifier) &&
              take_number(&line, &a->offset) && take_number(&line, &a->size) &&
              take_number(&line, &a->alignment) && kind <= SW_CL_ARG_PIPE;
    a->kind = (sw_cl_arg_kind)kind;
    a->qualifier = qualifier;
    a->type_name = sw_arena_str(arena, take_field(&line));
    a->name = sw_arena_str(arena, line);
    return ok;
}

/* The lines between the first and the last one. */
static bool
read_lines(sw_str rest, sw_cl_program_facts *facts)
{
    sw_vec kernels, arguments;
    sw_str line;
    bool ok = true, is_whole = false;
    sw_vec_init(&kernels, sizeof(sw_cl_kernel));
    sw_vec_init(&arguments, sizeof(sw_cl_argument));
    while (ok && !is_whole && take_line(&rest, &line)) {
        sw_cl_kernel *last =
            kernels.count ? sw_vec_at(&kernels, kernels.count - 1) : NULL;
        if (cc_take(&line, ARGUMENT)) {
            ok = last &&
                 read_argument(line, sw_vec_push(&arguments), facts->arena);
            continue;
        }
        if (last) {
            last->argument_count = arguments.count;
            last->arguments = sw_vec_to_arena(&arguments, facts->arena);
        }
        if (cc_take(&line, KERNEL))
            ok = read_kernel(line, sw_vec_push(&kernels), facts->arena);
        else
            ok = is_whole = cc_take(&line, "// softwarp end");
    }
    facts->count = kernels.count;
    facts->kernels = sw_vec_to_arena(&kernels, facts->arena);
    sw_vec_finish(&arguments);
    sw_vec_finish(&kernels);
    return ok && is_whole;
}

sw_status
sw_cl_read_facts(sw_str ptx, sw_cl_program_facts *facts)
{
    *facts = (sw_cl_program_facts){0};
    const char *at = find(ptx, FIRST_LINE);
    sw_str rest = at ? behind(ptx, at + sizeof FIRST_LINE - 1) : (sw_str){0},
           line;
    if (!at || !take_line(&rest, &line))
        return SW_E_INVALID_PTX;
    uint32_t flags = 0;
    facts->arena = sw_arena_create();
    if (take_number(&line, &flags) && read_lines(rest, facts)) {
        facts->verbose = flags & VERBOSE;
        facts->uniform_groups = flags & UNIFORM;
        return SW_OK;
    }
    sw_cl_free_facts(facts);
    return SW_E_INVALID_PTX;
}

void
sw_cl_free_facts(sw_cl_program_facts *facts)
{
    sw_arena_destroy(facts->arena);
    *facts = (sw_cl_program_facts){0};
}
