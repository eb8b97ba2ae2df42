/* SPDX-License-Identifier: Apache-2.0 */
/* format.c - how reports write times, sizes, values and texts. */
#include <stdio.h>
#include <string.h>

#include "report/report.h"

/* Five digits of a value below 1,000. */
static void
five_digits(double value, const char *unit, char *text, size_t bytes)
{
    int decimals = value >= 100 ? 2 : value >= 10 ? 3 : 4;
    snprintf(text, bytes, "%.*f%s", decimals, value, unit);
}

const char *
sw_report_time(uint64_t ns, char text[16])
{
    if (ns < 1000)
        snprintf(text, 16, "%uns", (unsigned)ns);
    else if (ns < 1000000)
        five_digits((double)ns * 1e-3, "us", text, 16);
    else if (ns < 1000000000)
        five_digits((double)ns * 1e-6, "ms", text, 16);
    else
        five_digits((double)ns * 1e-9, "s", text, 16);
    return text;
}

const char *
sw_report_bytes(uint64_t bytes, char text[16])
{
    if (bytes < 1024)
        snprintf(text, 16, "%uB", (unsigned)bytes);
    else if (bytes < (uint64_t)1 << 20)
        five_digits((double)bytes / 1024, "KB", text, 16);
    else if (bytes < (uint64_t)1 << 30)
        five_digits((double)bytes / (1 << 20), "MB", text, 16);
    else
        five_digits((double)bytes / (1 << 30), "GB", text, 16);
    return text;
}

const char *
sw_report_value(const sw_metric *metric, double value, char text[32])
{
    switch (metric->unit) {
    case SW_FIGURE_PERCENT:
        snprintf(text, 32, "%.2f%%", value);
        break;
    case SW_FIGURE_RATIO:
        snprintf(text, 32, "%.6g", value);
        break;
    default:
        snprintf(text, 32, "%.0f", value);
    }
    return text;
}

void
sw_report_csv_text(const char *text, sw_buf *out)
{
    sw_buf_puts(out, "\"");
    for (; *text; text++) {
        if (*text == '"')
            sw_buf_puts(out, "\"");
        sw_buf_add(out, text, 1);
    }
    sw_buf_puts(out, "\"");
}

const char *
sw_report_copy_name(const sw_record_copy *copy, char text[40])
{
    snprintf(text, 40, "[CUDA memcpy %sto%s]", sw_place_letter(copy->from),
             sw_place_letter(copy->to));
    return text;
}

/* What the printer of the IR adds for its parser: numbers of registers, places,
 * what is always so. */
static bool
is_noise(sw_str word)
{
    static const char *const noise[] = {"line=", "loc=", "vec=1"};
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        if (sw_str_has_prefix(word, noise[i]) &&
            (noise[i][4] != '1' || word.n == 5))
            return true;
    return false;
}

const char *
sw_report_instruction(const char *text, char *out, size_t bytes)
{
    size_t n = 0;
    bool in_brackets = false;
    while (*text && n + 1 < bytes) {
        if (*text == '#') { /* %r1#17 */
            text += 1 + strspn(text + 1, "0123456789");
            continue;
        }
        in_brackets |= *text == '[';
        size_t word = strcspn(text, " ]");
        if (in_brackets && (text[-1] == '[' || text[-1] == ' ') &&
            is_noise((sw_str){text, word})) {
            text += word + (text[word] == ' ');
            continue;
        }
        out[n++] = *text++;
    }
    out[n] = 0;
    /* "[]", or a blank before the bracket's end. */
    char *end = strstr(out, " []");
    if (end)
        *end = 0;
    if (n > 1 && out[n - 1] == ']' && out[n - 2] == ' ')
        memcpy(out + n - 2, "]", 2);
    return out;
}

bool
sw_report_launch_value(const sw_metric *metric, const sw_profile_launch *launch,
                       double *value)
{
    return launch->counted &&
           sw_metric_value(metric, &launch->shape, launch->counted->counts,
                           launch->counted->scale, false, value);
}
