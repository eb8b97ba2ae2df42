/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - heap, arena, vec and map; see base.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { ARENA_CHUNK = 64 * 1024, ARENA_ALIGN = 16, MAP_MIN = 16 };

static void *
no_null(void *p, size_t bytes)
{
    if (!p) {
        fprintf(stderr, "softwarp: out of memory (%zu bytes)\n", bytes);
        abort();
    }
    return p;
}

void *
sw_alloc(size_t bytes)
{
    return no_null(calloc(1, bytes ? bytes : 1), bytes);
}

void *
sw_realloc(void *p, size_t bytes)
{
    return no_null(realloc(p, bytes ? bytes : 1), bytes);
}

void
sw_free(void *p)
{
    free(p);
}

char *
sw_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(sw_alloc(n), s, n);
}

/* ---- arena ---- */

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(ARENA_ALIGN) char data[];
} chunk;

struct sw_arena {
    chunk *head;
    size_t bytes;
};

sw_arena *
sw_arena_create(void)
{
    return sw_alloc(sizeof(sw_arena));
}

void
sw_arena_destroy(sw_arena *arena)
{
    if (!arena)
        return;
    for (chunk *c = arena->head, *next; c; c = next) {
        next = c->next;
        sw_free(c);
    }
    sw_free(arena);
}

void *
sw_arena_alloc(sw_arena *arena, size_t bytes)
{
    size_t need = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    chunk *c = arena->head;
    if (!c || c->size - c->used < need) {
        size_t size = need > ARENA_CHUNK / 4 ? need : ARENA_CHUNK;
        chunk *fresh = sw_alloc(sizeof(chunk) + size);
        fresh->size = size;
        arena->bytes += sizeof(chunk) + size;
        if (c && size == need) { /* big: behind the head, which stays open */
            fresh->next = c->next;
            c->next = fresh;
        } else {
            fresh->next = c;
            arena->head = fresh;
        }
        c = fresh;
    }
    void *p = c->data + c->used;
    c->used += need;
    return p;
}

char *
sw_arena_str(sw_arena *arena, sw_str s)
{
    char *p = sw_arena_alloc(arena, s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    return p;
}

char *
sw_arena_printf(sw_arena *arena, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    SW_ASSERT(n >= 0);
    char *p = sw_arena_alloc(arena, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(args);
    return p;
}

size_t
sw_arena_bytes(const sw_arena *arena)
{
    return arena->bytes;
}

/* ---- vec ---- */

void
sw_vec_init(sw_vec *vec, size_t elem_bytes)
{
    *vec = (sw_vec){.elem_bytes = elem_bytes};
}

void
sw_vec_finish(sw_vec *vec)
{
    sw_free(vec->data);
    *vec = (sw_vec){.elem_bytes = vec->elem_bytes};
}

void *
sw_vec_push(sw_vec *vec)
{
    if (vec->count == vec->capacity) {
        vec->capacity = vec->capacity ? 2 * vec->capacity : 8;
        vec->data = sw_realloc(vec->data, vec->capacity * vec->elem_bytes);
    }
    char *p = (char *)vec->data + vec->count++ * vec->elem_bytes;
    return memset(p, 0, vec->elem_bytes);
}

void *
sw_vec_at(const sw_vec *vec, size_t i)
{
    SW_ASSERT(i < vec->count);
    return (char *)vec->data + i * vec->elem_bytes;
}

void
sw_vec_clear(sw_vec *vec)
{
    vec->count = 0;
}

void
sw_vec_remove(sw_vec *vec, size_t i)
{
    char *p = sw_vec_at(vec, i);
    memmove(p, p + vec->elem_bytes, (vec->count - i - 1) * vec->elem_bytes);
    vec->count--;
}

void *
sw_vec_to_arena(sw_vec *vec, sw_arena *arena)
{
    void *p = NULL;
    if (vec->count) {
        p = sw_arena_alloc(arena, vec->count * vec->elem_bytes);
        memcpy(p, vec->data, vec->count * vec->elem_bytes);
    }
    sw_vec_clear(vec);
    return p;
}

/* ---- map: open addressing over an insertion-ordered entry list ---- */

typedef struct {
    char *key; /* NULL: removed */
    size_t key_bytes;
    uint64_t hash;
    void *value;
} map_entry;

struct sw_map {
    map_entry *entries;           /* in insertion order */
    size_t count, used, capacity; /* live; with removed; room */
    uint32_t *slots;              /* entry index + 1; 0: free */
    size_t slot_count;            /* a power of two, at least twice capacity */
};

/* FNV-1a with a final mix; good enough for names and pointers. */
uint64_t
sw_hash_bytes(const void *p, size_t n, uint64_t seed)
{
    const unsigned char *b = p;
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

sw_map *
sw_map_create(void)
{
    return sw_alloc(sizeof(sw_map));
}

void
sw_map_destroy(sw_map *map)
{
    if (!map)
        return;
    for (size_t i = 0; i < map->used; i++)
        sw_free(map->entries[i].key);
    sw_free(map->entries);
    sw_free(map->slots);
    sw_free(map);
}

static map_entry *
map_find(const sw_map *map, sw_str key, uint64_t hash)
{
    if (!map->slot_count)
        return NULL;
    size_t mask = map->slot_count - 1;
    for (size_t s = hash & mask; map->slots[s]; s = (s + 1) & mask) {
        map_entry *e = &map->entries[map->slots[s] - 1];
        if (e->key && e->hash == hash && e->key_bytes == key.n &&
            (key.n == 0 || memcmp(e->key, key.p, key.n) == 0))
            return e;
    }
    return NULL;
}

static void
map_link(sw_map *map, size_t index)
{
    size_t mask = map->slot_count - 1;
    size_t s = map->entries[index].hash & mask;
    while (map->slots[s])
        s = (s + 1) & mask;
    map->slots[s] = (uint32_t)(index + 1);
}

/* Makes room for one more, dropping removed entries. */
static void
map_grow(sw_map *map)
{
    size_t live = 0;
    for (size_t i = 0; i < map->used; i++)
        if (map->entries[i].key)
            map->entries[live++] = map->entries[i];
    map->used = live;
    if (live * 2 >= map->capacity) {
        map->capacity = map->capacity ? map->capacity * 2 : MAP_MIN;
        map->entries =
            sw_realloc(map->entries, map->capacity * sizeof *map->entries);
        map->slot_count = map->capacity * 2;
        sw_free(map->slots);
        map->slots = sw_alloc(map->slot_count * sizeof *map->slots);
    } else {
        memset(map->slots, 0, map->slot_count * sizeof *map->slots);
    }
    for (size_t i = 0; i < live; i++)
        map_link(map, i);
}

void *
sw_map_get(const sw_map *map, sw_str key)
{
    map_entry *e = map_find(map, key, sw_hash_bytes(key.p, key.n, 0));
    return e ? e->value : NULL;
}

void
sw_map_set(sw_map *map, sw_str key, void *value)
{
    uint64_t hash = sw_hash_bytes(key.p, key.n, 0);
    map_entry *e = map_find(map, key, hash);
    if (e) {
        e->value = value;
        return;
    }
    if (map->used == map->capacity)
        map_grow(map);
    e = &map->entries[map->used];
    *e = (map_entry){sw_alloc(key.n + 1), key.n, hash, value};
    if (key.n)
        memcpy(e->key, key.p, key.n);
    map_link(map, map->used++);
    map->count++;
}

void *
sw_map_remove(sw_map *map, sw_str key)
{
    map_entry *e = map_find(map, key, sw_hash_bytes(key.p, key.n, 0));
    if (!e)
        return NULL;
    sw_free(e->key);
    e->key = NULL;
    map->count--;
    return e->value;
}

size_t
sw_map_count(const sw_map *map)
{
    return map->count;
}

bool
sw_map_next(const sw_map *map, size_t *it, sw_str *key, void **value)
{
    while (*it < map->used && !map->entries[*it].key)
        ++*it;
    if (*it == map->used)
        return false;
    const map_entry *e = &map->entries[(*it)++];
    if (key)
        *key = (sw_str){e->key, e->key_bytes};
    if (value)
        *value = e->value;
    return true;
}
