/* What text is held to besides its length: one of some words, and the formats of dates. */

#include "native.h"
#include <stdint.h>
#include <string.h>

#define EACH_BYTE(value) ((uint64_t)0x0101010101010101 * (value))

static uint64_t has_zero(uint64_t word)
{
    return (word - EACH_BYTE(1)) & ~word & EACH_BYTE(0x80);
}

/* Eight bytes at a time, as most are plain: no control character, quote or backslash. */
const char *skip_plain(const char *at, const char *end)
{
    for (uint64_t word; end - at >= (Py_ssize_t)sizeof word; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        uint64_t controls = (word - EACH_BYTE(' ')) & ~word & EACH_BYTE(0x80);
        if (controls | has_zero(word ^ EACH_BYTE('"')) | has_zero(word ^ EACH_BYTE('\\'))) break;
    }
    while (at < end && (unsigned char)*at >= ' ' && *at != '"' && *at != '\\') at++;
    return at;
}

/* The words are sorted by their bytes. */
static bool is_word(const char *text, Py_ssize_t size, const Shape *shape)
{
    Py_ssize_t low = 0, high = shape->choices;
    while (low < high) {
        Py_ssize_t middle = (low + high) / 2;
        const Word *word = &shape->words[middle];
        int order = memcmp(text, word->utf8, size < word->size ? size : word->size);
        if (order == 0 && size == word->size) return true;
        if (order < 0 || (order == 0 && size < word->size)) high = middle;
        else low = middle + 1;
    }
    return false;
}

/* Read a number of so many digits; -1 if that is none, or if it is not within the bounds. */
static int take_number(const char **at, int digits, int least, int most)
{
    int number = 0;
    for (; digits > 0; digits--, (*at)++) {
        if (**at < '0' || **at > '9') return -1;
        number = number * 10 + (**at - '0');
    }
    return number < least || number > most ? -1 : number;
}

static bool take_date(const char **at)
{
    static const int days_of[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = take_number(at, 4, 0, 9999);
    if (year < 0 || *(*at)++ != '-') return false;
    int month = take_number(at, 2, 1, 12);
    if (month < 0 || *(*at)++ != '-') return false;
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    int days = days_of[month - 1] + (month == 2 && is_leap);
    return year > 0 && take_number(at, 2, 1, days) > 0;
}

static bool take_hour(const char **at)
{
    if (take_number(at, 2, 0, 23) < 0 || *(*at)++ != ':') return false;
    return take_number(at, 2, 0, 59) >= 0;
}

/* Seconds, a fraction of them and the offset may be left out. */
static bool take_clock(const char **at)
{
    if (!take_hour(at)) return false;
    if (**at == ':') {
        (*at)++;
        if (take_number(at, 2, 0, 59) < 0) return false;
        if (**at == '.') {
            const char *digits = ++*at;
            while (**at >= '0' && **at <= '9') (*at)++;
            if (*at == digits) return false;
        }
    }
    if (**at == '+' || **at == '-') return (*at)++, take_hour(at);
    if (**at == 'Z' || **at == 'z') (*at)++;
    return true;
}

/* Behind the text stands a NUL or a quote, which is no part of any format. */
bool has_format(const char *text, Py_ssize_t size, int format)
{
    const char *at = text;
    if (!take_date(&at)) return false;
    if (format == DATE_TIME) {
        if (*at != 'T' && *at != 't' && *at != ' ') return false;
        at++;
        if (!take_clock(&at)) return false;
    }
    return at == text + size;
}

bool is_choosy(const Shape *shape)
{
    return shape->words != NULL || shape->format != 0;
}

int look_at_bytes(const char *text, Py_ssize_t size, const Shape *shape)
{
    if (shape->words != NULL && !is_word(text, size, shape)) return 0;
    return shape->format == 0 || has_format(text, size, shape->format);
}
