/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_jumps_test.c - where the table of include/cuda/softwarp comes from
 * with which generators of random numbers jump ahead, and that it is right.
 *
 * A generator whose state is a window over a linear recurrence is advanced by n
 * steps through the polynomial x^n modulo the recurrence's own: the state n
 * steps on is that sum of the next few states. The table holds such
 * polynomials. XORWOW: Marsaglia, Xorshift RNGs, 2003. MRG32k3a: L'Ecuyer, Good
 * parameters and implementations for combined multiple recursive random number
 * generators, 1999.
 *
 * RANDOM_JUMPS=FILE in the environment writes the table to FILE.
 */
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

enum { BITS = 160, WORDS = 5, DIGITS = 16, LONGEST = 1 << 17 };

static const char table_name[] = "include/cuda/softwarp/random_jumps.def";

typedef struct {
    uint32_t w[WORDS]; /* bit i of word j: of x^(32 j + i), or word j */
} poly;

/* One step of XORWOW without the counter that is added to it. */
static void
xorwow_step(poly *s)
{
    uint32_t t = s->w[0] ^ s->w[0] >> 2;

    for (int i = 0; i < WORDS - 1; i++)
        s->w[i] = s->w[i + 1];
    s->w[4] ^= s->w[4] << 4 ^ t ^ t << 1;
}

static bool
bit_of(const poly *p, int i)
{
    return p->w[i / 32] >> i % 32 & 1;
}

static void
add_to(poly *a, const poly *b)
{
    for (int i = 0; i < WORDS; i++)
        a->w[i] ^= b->w[i];
}

/*
 * The polynomial of degree 160, less its highest term, that bit 0 of the state
 * obeys: Berlekamp's and Massey's algorithm over 320 steps.
 */
static poly
recurrence(void)
{
    enum { N = 2 * BITS };
    uint8_t s[N], c[N + 1] = {1}, b[N + 1] = {1}, t[N + 1];
    poly state = {{1}}, p = {{0}};
    int length = 0, m = 1;

    for (int n = 0; n < N; n++) {
        s[n] = state.w[0] & 1;
        xorwow_step(&state);
    }
    for (int n = 0; n < N; n++, m++) {
        int wrong = 0;

        for (int i = 0; i <= length; i++)
            wrong ^= c[i] & s[n - i];
        if (!wrong)
            continue;
        memcpy(t, c, sizeof t);
        for (int i = 0; i + m <= N; i++)
            c[i + m] ^= b[i];
        if (2 * length <= n) {
            length = n + 1 - length;
            memcpy(b, t, sizeof b);
            m = 0;
        }
    }
    CHECK_EQ(length, BITS);
    for (int i = 0; i < BITS; i++)
        p.w[i / 32] |= (uint32_t)c[BITS - i] << i % 32;
    return p;
}

/* a * b modulo x^160 + p. */
static poly
times(poly a, const poly *b, const poly *p)
{
    poly product = {{0}};

    for (int i = 0; i < BITS; i++) {
        uint32_t carry = a.w[4] >> 31;

        if (bit_of(b, i))
            add_to(&product, &a);
        for (int j = WORDS - 1; j > 0; j--)
            a.w[j] = a.w[j] << 1 | a.w[j - 1] >> 31;
        a.w[0] <<= 1;
        if (carry)
            add_to(&a, p);
    }
    return product;
}

/* x^(2^k) */
static poly
power_of_two(int k, const poly *p)
{
    poly x = {{2}};

    while (k--)
        x = times(x, &x, p);
    return x;
}

static poly
advanced(poly state, const poly *jump)
{
    poly sum = {{0}};

    for (int i = 0; i < BITS; i++) {
        if (bit_of(jump, i))
            add_to(&sum, &state);
        xorwow_step(&state);
    }
    return sum;
}

static const uint64_t modulus[2] = {4294967087u, 4294944443u};

typedef struct {
    uint64_t c[3]; /* of 1, x and x^2 */
} cubic;

/* x * a modulo the recurrence of part 0 or 1. */
static cubic
cubic_shifted(cubic a, int part)
{
    /* x^3 as multiples of 1, x and x^2. */
    static const uint64_t cube[2][3] = {{4294967087u - 810728, 1403580, 0},
                                        {4294944443u - 1370589, 0, 527612}};
    cubic r;

    for (int i = 0; i < 3; i++)
        r.c[i] =
            ((i ? a.c[i - 1] : 0) + a.c[2] * cube[part][i]) % modulus[part];
    return r;
}

static cubic
cubic_times(cubic a, cubic b, int part)
{
    cubic product = {{0}};

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            product.c[j] = (product.c[j] + a.c[j] * b.c[i]) % modulus[part];
        a = cubic_shifted(a, part);
    }
    return product;
}

static cubic
cubic_power_of_two(int k, int part)
{
    cubic x = {{0, 1, 0}};

    while (k--)
        x = cubic_times(x, x, part);
    return x;
}

/* The text of the table; in memory of malloc. */
static char *
table_text(void)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    poly p = recurrence();

    if (!f)
        return NULL;
    fprintf(f,
            "/* SPDX-License-Identifier: Apache-2.0 */\n"
            "/*\n"
            " * random_jumps.def - polynomials with which generators of random "
            "numbers jump\n"
            " * ahead, written by tests/unit/random_jumps_test.c, which says "
            "what they are.\n"
            " *\n"
            " * JUMP5 rows: x^(d * 16^k * spacing), a row each for d from 1 to "
            "15 in 16\n"
            " * groups for k, of XORWOW; the spacing is 1, then 2^67. Word 0 "
            "first, its\n"
            " * lowest bit the coefficient of 1.\n"
            " * JUMP6 rows: x^(2^k * spacing) of MRG32k3a, a row each for k "
            "from 0 to 63;\n"
            " * the spacing is 1, then 2^76, then 2^127. Coefficients of 1, x "
            "and x^2, of\n"
            " * both parts.\n"
            " */\n"
            "/* clang-format off */\n");
    for (int space = 0; space < 2; space++) {
        fprintf(f, "#ifdef JUMP5_%s\n", space ? "SEQUENCE" : "STEP");
        poly unit = power_of_two(space ? 67 : 0, &p);
        for (int k = 0; k < DIGITS; k++) {
            poly x = unit;

            for (int d = 1; d < 16; d++) {
                fprintf(f, "{");
                for (int i = 0; i < WORDS; i++)
                    fprintf(f, "0x%08x%s", x.w[i], i < 4 ? ", " : "},\n");
                x = times(x, &unit, &p);
            }
            unit = x;
        }
        fprintf(f, "#endif\n");
    }
    for (int space = 0; space < 3; space++) {
        static const char *const names[] = {"STEP", "SUBSEQUENCE", "SEQUENCE"};
        static const int spacing[] = {0, 76, 127};

        fprintf(f, "#ifdef JUMP6_%s\n", names[space]);
        for (int k = 0; k < 64; k++) {
            fprintf(f, "{");
            for (int part = 0; part < 2; part++) {
                cubic x = cubic_power_of_two(spacing[space] + k, part);
                for (int i = 0; i < 3; i++)
                    fprintf(f, "%u%s", (uint32_t)x.c[i],
                            part && i == 2 ? "},\n" : ", ");
            }
        }
        fprintf(f, "#endif\n");
    }
    fclose(f);
    return text;
}

CASE(jumps_of_xorwow_are_steps)
{
    poly p = recurrence(),
         start = {{123456789, 362436069, 521288629, 88675123, 5783321}};
    poly state = start;

    for (int steps = 0; steps < LONGEST; steps++)
        xorwow_step(&state);
    poly jump = power_of_two(17, &p);
    poly there = advanced(start, &jump);
    CHECK(memcmp(&there, &state, sizeof state) == 0);

    /* The period without the counter is 2^160 - 1. */
    jump = power_of_two(BITS, &p);
    there = advanced(start, &jump);
    xorwow_step(&start);
    CHECK(memcmp(&there, &start, sizeof start) == 0);
}

CASE(jumps_of_mrg32k3a_are_steps)
{
    for (int part = 0; part < 2; part++) {
        uint64_t m = modulus[part], s[3] = {12345, 67890, 13579}, was[5];

        for (int steps = 0; steps < LONGEST; steps++) {
            uint64_t next = part ? 527612 * s[2] + 1370589 * (m - s[0])
                                 : 1403580 * s[1] + 810728 * (m - s[0]);
            if (steps == 0)
                memcpy(was, s, sizeof s);
            s[0] = s[1], s[1] = s[2], s[2] = next % m;
            if (steps < 2)
                was[3 + steps] = s[2];
        }
        cubic jump = cubic_power_of_two(17, part);
        for (int i = 0; i < 3; i++) {
            uint64_t there = 0;

            for (int j = 0; j < 3; j++)
                there = (there + jump.c[j] * was[i + j]) % m;
            CHECK_EQ(there, s[i]);
        }
    }
}

CASE(the_table_is_what_is_computed)
{
    char *want = table_text(), *got;
    const char *to = getenv("RANDOM_JUMPS");
    FILE *f;
    long size;

    CHECK(want != NULL);
    if (to && (f = fopen(to, "w"))) {
        fputs(want, f);
        fclose(f);
    }
    f = fopen(table_name, "r");
    CHECK(f != NULL);
    if (!f)
        goto out;
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);
    got = calloc(1, (size_t)size + 1);
    CHECK_EQ(fread(got, 1, (size_t)size, f), size);
    CHECK(strcmp(got, want) == 0);
    free(got);
    fclose(f);
out:
    free(want);
}
