/* SPDX-License-Identifier: Apache-2.0 */
/*
 * banks.cl - reads of local memory, which lies in 16 banks on devices of
 * compute capability 1.x and in 32 on later ones: neighbouring words are in
 * neighbouring banks, and what two work-items want of one bank takes twice as
 * long. Each kernel fills the memory in order, and reads it in its own way.
 */
#define WORDS 256

static void
fill(local int *s)
{
    for (int i = get_local_id(0); i < WORDS; i += get_local_size(0))
        s[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* No conflict if the stride is odd. */
kernel void
strided(global int *to, int stride)
{
    local int s[WORDS];
    int i = get_local_id(0);
    fill(s);
    to[i] = s[stride * i];
}

/* Any order of different banks is as good as the natural one. */
kernel void
permuted(global int *to, int by)
{
    local int s[WORDS];
    int i = get_local_id(0);
    fill(s);
    to[i] = s[(i * by) % 16];
}

/* A word that several want is read once, and given to all of them. */
kernel void
same(global int *to, int word)
{
    local int s[WORDS];
    int i = get_local_id(0);
    fill(s);
    to[i] = s[word];
}

/* Some want one word, the others one of each other bank. */
kernel void
partly_same(global int *to, int word)
{
    local int s[WORDS];
    int i = get_local_id(0);
    fill(s);
    to[i] = s[i < 4 ? word : 2 + i];
}

/* Four neighbours in one word; `step` 4 gives each its own bank. */
kernel void
bytes(global int *to, int step)
{
    local int s[WORDS];
    int i = get_local_id(0);
    fill(s);
    to[i] = ((local char *)s)[step * i];
}

/* Elements of 8 bytes, as a whole and in halves that lie apart. */
kernel void
whole(global long *to, int shift)
{
    local long s[WORDS / 2];
    int i = get_local_id(0);
    fill((local int *)s);
    to[i] = s[i] >> shift;
}
kernel void
halves(global long *to, int shift)
{
    local int low[WORDS], high[WORDS];
    int i = get_local_id(0);
    fill(low);
    fill(high);
    to[i] = (long)(((ulong)high[i] << 32) | (uint)low[i]) >> shift;
}

/* A structure is read member by member: three words have an odd stride, two
 * have not. */
typedef struct {
    int x, y, z;
} three;
kernel void
threes(global int *to, int add)
{
    local int s[WORDS];
    int i = get_local_id(0);
    fill(s);
    three t = ((local three *)s)[i];
    to[i] = t.x + t.y + t.z + add;
}
typedef struct {
    int x, y;
} two;
kernel void
twos(global int *to, int add)
{
    local int s[WORDS];
    int i = get_local_id(0);
    fill(s);
    two t = ((local two *)s)[i];
    to[i] = t.x + t.y + add;
}
