/* SPDX-License-Identifier: Apache-2.0 */
/* memory_sites.c - see memory_sites.h. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "check/memory_sites.h"
#include "check/origin.h"

typedef struct {
    const sw_fn *fn;
    sw_address_origins *origins;
} known_fn;

struct sw_known_launch {
    sw_known_launch *next;
    sw_known_launches *all;
    uint32_t uses;        /* launches that run */
    sw_watch_launch like; /* params: the bytes behind the struct */
    uint64_t generation;
    pthread_mutex_t lock;   /* of fns, and of making sites */
    sw_vec fns;             /* known_fn */
    sw_memory_site *sites;  /* [ins_count] */
    sw_quiet_table *tables; /* all of them, */
    sw_quiet_table *unused; /* ... and those of no block */
    uint8_t params[];
};

enum { KNOWN = 32 }; /* kept, beside those of launches that run */

struct sw_known_launches {
    sw_allocations *allocations;
    pthread_mutex_t lock;   /* of the list, uses, and lists of tables */
    sw_known_launch *first; /* the one used last */
};

/* ---- sites ---- */

static const sw_address_origins *
origins_of(sw_known_launch *k, const sw_fn *fn)
{
    for (size_t i = 0; i < k->fns.count; i++) {
        const known_fn *f = sw_vec_at(&k->fns, i);
        if (f->fn == fn)
            return f->origins;
    }
    known_fn *f = sw_vec_push(&k->fns);
    *f = (known_fn){fn, sw_address_origins_create(fn)};
    return f->origins;
}

static void
bind_to_sym(sw_known_launch *k, const sw_fn *fn, const sw_sym *sym,
            sw_memory_site *s)
{
    const sw_watch_launch *w = &k->like;
    s->sym = sym;
    s->space = sym->space;
    switch (sym->space) {
    case SW_SPACE_SHARED:
        s->first = w->shared_offset(w->program, sym);
        s->end = s->first + sym->bytes;
        if (!sym->bytes) { /* the launch's dynamic memory */
            s->first = w->static_shared_bytes;
            s->end = s->first + w->dynamic_shared_bytes;
        }
        break;
    case SW_SPACE_GLOBAL:
    case SW_SPACE_CONST:
        s->first = sym->address;
        s->end = sym->address + sym->bytes;
        break;
    case SW_SPACE_LOCAL:
        if (!fn->is_entry)
            return; /* its frame lies anywhere */
        s->first = sym->address;
        s->end = sym->address + sym->bytes;
        break;
    default:
        return;
    }
    s->state = SW_SITE_BOUND;
}

/* The allocation that the pointer among the parameters lies in. */
static void
bind_to_param(sw_known_launch *k, uint32_t offset, sw_memory_site *s)
{
    uint64_t pointer;
    sw_allocation a;
    if (offset + sizeof pointer > k->like.fn->param_bytes)
        return;
    memcpy(&pointer, (const char *)k->like.params + offset, sizeof pointer);
    if (!sw_allocations_find(k->all->allocations, pointer, &a) &&
        !sw_allocations_variable(k->all->allocations, pointer, &a))
        return;
    sw_allocation variable;
    if (a.range.kind == SW_MEMORY_MODULE &&
        sw_allocations_variable(k->all->allocations, pointer, &variable))
        a = variable;
    s->space = SW_SPACE_GLOBAL;
    s->first = a.range.addr;
    s->end = a.range.addr + a.range.bytes;
    s->state = SW_SITE_BOUND;
}

const sw_memory_site *
sw_known_site(sw_known_launch *k, const sw_ev_where *where)
{
    sw_memory_site *s = &k->sites[where->index];
    if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) != SW_SITE_NEW)
        return s;
    pthread_mutex_lock(&k->lock);
    if (s->state == SW_SITE_NEW) {
        sw_memory_site made = {.state = SW_SITE_FREE};
        sw_address_origin o =
            sw_address_origin_of(origins_of(k, where->fn), where->ins, 0);
        if (o.kind == SW_ORIGIN_SYM)
            bind_to_sym(k, where->fn, o.sym, &made);
        else if (o.kind == SW_ORIGIN_PARAM && where->fn == k->like.fn)
            bind_to_param(k, o.offset, &made);
        int state = (int)made.state;
        made.state = SW_SITE_NEW;
        *s = made;
        __atomic_store_n((int *)&s->state, state, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&k->lock);
    return s;
}

/* ---- tables ---- */

sw_quiet_table *
sw_known_take_table(sw_known_launch *k)
{
    pthread_mutex_lock(&k->all->lock);
    sw_quiet_table *t = k->unused;
    if (t) {
        k->unused = t->next_unused;
    } else {
        t = sw_alloc(sizeof *t + k->like.ins_count * sizeof *t->rows);
        t->next = k->tables;
        k->tables = t;
    }
    pthread_mutex_unlock(&k->all->lock);
    return t;
}

void
sw_known_give_table(sw_known_launch *k, sw_quiet_table *table)
{
    pthread_mutex_lock(&k->all->lock);
    table->next_unused = k->unused;
    k->unused = table;
    pthread_mutex_unlock(&k->all->lock);
}

void
sw_known_hear_all(sw_known_launches *all)
{
    pthread_mutex_lock(&all->lock);
    for (const sw_known_launch *k = all->first; k; k = k->next)
        for (sw_quiet_table *t = k->tables; t; t = t->next)
            for (uint32_t i = 0; i < k->like.ins_count; i++)
                atomic_store(&t->rows[i].limit, 0);
    pthread_mutex_unlock(&all->lock);
}

/* ---- launches ---- */

static sw_known_launch *
make_known(sw_known_launches *all, const sw_watch_launch *launch,
           uint64_t generation)
{
    size_t bytes = launch->fn->param_bytes;
    sw_known_launch *k = sw_alloc(sizeof *k + bytes);
    k->all = all;
    k->like = *launch;
    k->like.params = k->params;
    k->generation = generation;
    if (bytes)
        memcpy(k->params, launch->params, bytes);
    k->sites = sw_alloc((launch->ins_count + 1) * sizeof *k->sites);
    pthread_mutex_init(&k->lock, NULL);
    sw_vec_init(&k->fns, sizeof(known_fn));
    return k;
}

static void
destroy_known(sw_known_launch *k)
{
    for (sw_quiet_table *t = k->tables; t;) {
        sw_quiet_table *next = t->next;
        sw_free(t);
        t = next;
    }
    for (size_t i = 0; i < k->fns.count; i++)
        sw_address_origins_destroy(
            ((known_fn *)sw_vec_at(&k->fns, i))->origins);
    sw_vec_finish(&k->fns);
    pthread_mutex_destroy(&k->lock);
    sw_free(k->sites);
    sw_free(k);
}

static bool
is_alike(const sw_known_launch *k, const sw_watch_launch *launch,
         uint64_t generation)
{
    return k->generation == generation && k->like.kernel == launch->kernel &&
           k->like.dynamic_shared_bytes == launch->dynamic_shared_bytes &&
           (!launch->fn->param_bytes ||
            memcmp(k->params, launch->params, launch->fn->param_bytes) == 0);
}

/* Those that no launch will be like, and the oldest, go. */
static void
drop_known_locked(sw_known_launches *all, uint64_t generation)
{
    uint32_t count = 0;
    for (sw_known_launch **at = &all->first; *at;) {
        sw_known_launch *k = *at;
        if (!k->uses && (k->generation != generation || ++count > KNOWN)) {
            *at = k->next;
            destroy_known(k);
        } else {
            at = &k->next;
        }
    }
}

sw_known_launch *
sw_known_enter(sw_known_launches *all, const sw_watch_launch *launch)
{
    uint64_t generation = sw_allocations_generation(all->allocations);
    pthread_mutex_lock(&all->lock);
    sw_known_launch **at = &all->first;
    while (*at && !is_alike(*at, launch, generation))
        at = &(*at)->next;
    sw_known_launch *k = *at;
    if (k)
        *at = k->next;
    else
        k = make_known(all, launch, generation);
    k->uses++;
    k->next = all->first;
    all->first = k;
    drop_known_locked(all, generation);
    pthread_mutex_unlock(&all->lock);
    return k;
}

void
sw_known_leave(sw_known_launches *all, sw_known_launch *k)
{
    pthread_mutex_lock(&all->lock);
    k->uses--;
    pthread_mutex_unlock(&all->lock);
}

sw_known_launches *
sw_known_create(sw_allocations *allocations)
{
    sw_known_launches *all = sw_alloc(sizeof *all);
    all->allocations = allocations;
    pthread_mutex_init(&all->lock, NULL);
    return all;
}
