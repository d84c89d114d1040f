/* Look at JSON text without reading it into data: is it strict, and does it fit a shape?

   Every no is left to the reader of `jsonio.jsontext`, also for what is right but rare: names with
   escapes, many keys that are not declared, what has to be decided as data. */

#include "native.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_MEMBERS = 64, MOST_OTHERS = 32, SURE_DIGITS = 15 };
/* Exponents of more digits no Decimal holds: the reader says so. */
enum { MOST_EXPONENT_DIGITS = 17 };

/* At the end is a NUL, which stands for nothing in JSON: nothing is read behind it. */
typedef struct {
    const char *at, *end;
} Cursor;

typedef struct {
    const char *start;
    Py_ssize_t size;
    bool escaped;
} Text;

/* The names of members that are not declared. */
typedef struct {
    Text names[MOST_OTHERS];
    int count;
} Others;

/* What stands for any plain value. */
static const Shape ANYTHING = {
    .kinds = NOTHING | BOOLEAN | INTEGER | NUMBER | STRING | ARRAY | OBJECT, .low = -INFINITY,
    .high = INFINITY, .longest = PY_SSIZE_T_MAX, .most = PY_SSIZE_T_MAX,
};

static int scan_value(Cursor *cursor, const Shape *shape, int depth);

static void skip_space(Cursor *cursor)
{
    while (*cursor->at == ' ' || *cursor->at == '\n' || *cursor->at == '\r' || *cursor->at == '\t')
        cursor->at++;
}

static bool is_digit(char it)
{
    return it >= '0' && it <= '9';
}

/* The code unit of four hexadecimal digits, or -1. */
static int code_unit(const char *at)
{
    int unit = 0;
    for (int place = 0; place < 4; place++) {
        char it = at[place];
        int digit = is_digit(it) ? it - '0'
            : it >= 'a' && it <= 'f' ? it - 'a' + 10 : it >= 'A' && it <= 'F' ? it - 'A' + 10 : -1;
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

/* The length of the escape of one character after its backslash; 0 if it is none. */
static int escape_length(const char *at)
{
    if (*at != 'u') return *at != '\0' && strchr("\"\\/bfnrt", *at) != NULL ? 1 : 0;
    int unit = code_unit(at + 1);
    if (unit < 0) return 0;
    if (unit < 0xD800 || unit > 0xDFFF) return 5;
    if (unit > 0xDBFF || at[5] != '\\' || at[6] != 'u') return 0;
    int low = code_unit(at + 7);
    return low >= 0xDC00 && low <= 0xDFFF ? 11 : 0;
}

/* Take a string, from its opening quote to behind the closing one. */
static int scan_text(Cursor *cursor, Text *text)
{
    const char *at = skip_plain(cursor->at + 1, cursor->end);
    *text = (Text){.start = cursor->at + 1};
    for (; *at != '"'; at = skip_plain(at, cursor->end)) {
        int length = *at == '\\' ? escape_length(at + 1) : 0;
        if (length == 0) return 0;
        text->escaped = true;
        at += 1 + length;
    }
    text->size = at - text->start;
    cursor->at = at + 1;
    return 1;
}

/* Count the characters of a text: each escape is one, and the other bytes of a character none. */
static Py_ssize_t count_characters(const Text *text)
{
    Py_ssize_t count = 0;
    for (const char *at = text->start; at < text->start + text->size; at++, count++) {
        if (*at == '\\') at += escape_length(at + 1);
        else if (((unsigned char)*at & 0xC0) == 0x80) count--;
    }
    return count;
}

static bool has_right_length(const Text *text, const Shape *shape)
{
    if (shape->shortest == 0 && text->size <= shape->longest) return true;
    Py_ssize_t count = count_characters(text);
    return count >= shape->shortest && count <= shape->longest;
}

static int scan_text_value(Cursor *cursor, const Shape *shape)
{
    Text text;
    if (!scan_text(cursor, &text) || !has_right_length(&text, shape)) return 0;
    if (!is_choosy(shape) && shape->verdict == NULL) return 1;
    if (text.escaped || look_at_bytes(text.start, text.size, shape) == 0) return 0;
    if (shape->verdict == NULL) return 1;
    PyObject *value = PyUnicode_FromStringAndSize(text.start, text.size);
    int answer = value == NULL ? -1 : ask(shape, value);
    Py_XDECREF(value);
    return answer;
}

/* Skip digits, which go on a number, and say how many there were. */
static Py_ssize_t skip_digits(const char **at, uint64_t *number)
{
    const char *start = *at;
    for (; is_digit(**at); (*at)++) *number = *number * 10 + (uint64_t)(**at - '0');
    return *at - start;
}

/* Skip an exponent; 0 if it is none that some number has. */
static bool skip_exponent(const char **at)
{
    uint64_t ignored = 0;
    (*at)++;
    if (**at == '+' || **at == '-') (*at)++;
    Py_ssize_t digits = skip_digits(at, &ignored);
    return digits > 0 && digits <= MOST_EXPONENT_DIGITS;
}

static int is_within(double value, const Shape *shape)
{
    return isfinite(value) && value >= shape->low && value <= shape->high;
}

static int scan_number(Cursor *cursor, const Shape *shape)
{
    /* A quotient of two numbers that are exact is the double that is nearest (IEEE 754). */
    static const double tenths[SURE_DIGITS] = {
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
    const char *start = cursor->at, *at = start + (*start == '-');
    uint64_t number = 0;
    bool leading_zero = *at == '0';
    Py_ssize_t digits = skip_digits(&at, &number), fraction = 0;
    if (digits == 0 || (leading_zero && digits > 1)) return 0;
    const char *behind_digits = at;
    if (*at == '.' && (at++, (fraction = skip_digits(&at, &number)) == 0)) return 0;
    bool has_exponent = *at == 'e' || *at == 'E';
    if (has_exponent && !skip_exponent(&at)) return 0;
    cursor->at = at;
    if (!(shape->kinds & (at == behind_digits ? INTEGER : NUMBER))) return 0;
    if (!has_exponent && digits + fraction <= SURE_DIGITS) {
        double value = (double)number / tenths[fraction];
        return is_within(*start == '-' ? -value : value, shape);
    }
    double value = PyOS_string_to_double(start, (char **)&at, NULL);
    if (value == -1.0 && PyErr_Occurred()) return -1;
    return is_within(value, shape);
}

static int scan_word(Cursor *cursor, const char *word, const Shape *shape, int kind)
{
    size_t size = strlen(word);
    if (!(shape->kinds & kind) || strncmp(cursor->at, word, size) != 0) return 0;
    cursor->at += size;
    return 1;
}

/* Go on behind an item: 1 at the next one, 0 behind the end, -1 where neither follows. */
static int go_on(Cursor *cursor, char closing)
{
    skip_space(cursor);
    char it = *cursor->at;
    if (it != ',' && it != closing) return -1;
    cursor->at++;
    if (it == closing) return 0;
    skip_space(cursor);
    return 1;
}

static int scan_array(Cursor *cursor, const Shape *shape, int depth)
{
    Py_ssize_t size = 0;
    int more = 1;
    cursor->at++;
    skip_space(cursor);
    if (*cursor->at == ']') {
        cursor->at++;
        more = 0;
    }
    for (; more == 1; size++) {
        int answer = scan_value(cursor, shape->items, depth - 1);
        if (answer != 1) return answer;
        more = go_on(cursor, ']');
    }
    return more == 0 && size >= shape->fewest && size <= shape->most;
}

/* Note the name of a member that is not declared: 0 if it was there, or if there are too many. */
static int note(Others *others, const Text *name)
{
    if (others->count == MOST_OTHERS) return 0;
    for (int place = 0; place < others->count; place++) {
        const Text *other = &others->names[place];
        if (other->size == name->size && memcmp(other->start, name->start, name->size) == 0) return 0;
    }
    others->names[others->count++] = *name;
    return 1;
}

/* Take the name of a member: most follow each other in their order, as they stand. */
static int scan_name(Cursor *cursor, const Shape *shape, Py_ssize_t *place, Text *name)
{
    if (*cursor->at != '"') return 0;
    const Member *next = *place + 1 < shape->declared ? &shape->members[*place + 1] : NULL;
    if (next != NULL && next->is_plain && cursor->end - cursor->at > next->name.size + 1
        && cursor->at[next->name.size + 1] == '"'
        && memcmp(cursor->at + 1, next->name.utf8, next->name.size) == 0) {
        cursor->at += next->name.size + 2;
        (*place)++;
        return 1;
    }
    if (!scan_text(cursor, name) || name->escaped) return 0;
    *place = place_of(shape, name->start, name->size, *place + 1);
    return 1;
}

static int scan_object(Cursor *cursor, const Shape *shape, int depth)
{
    uint64_t seen = 0;
    Others others;
    Py_ssize_t required = 0, place = -1;
    int more = 1;
    others.count = 0;
    cursor->at++;
    skip_space(cursor);
    if (*cursor->at == '}') {
        cursor->at++;
        more = 0;
    }
    while (more == 1) {
        Text name;
        if (!scan_name(cursor, shape, &place, &name)) return 0;
        skip_space(cursor);
        if (*cursor->at != ':') return 0;
        cursor->at++;
        skip_space(cursor);
        const Shape *inner = shape->rest;
        if (place < 0) {
            if (shape->closed || !note(&others, &name)) return 0;
        } else {
            if (seen >> place & 1) return 0;
            seen |= (uint64_t)1 << place;
            required += shape->members[place].required;
            inner = shape->members[place].shape;
        }
        int answer = scan_value(cursor, inner, depth - 1);
        if (answer != 1) return answer;
        more = go_on(cursor, '}');
    }
    return more == 0 && required == shape->required;
}

static int scan_branches(Cursor *cursor, const Shape *shape, int depth)
{
    Cursor start = *cursor;
    for (Py_ssize_t place = 0; place < PyTuple_Size(shape->branches); place++) {
        const Shape *branch = (const Shape *)PyTuple_GetItem(shape->branches, place);
        *cursor = start;
        int answer = scan_value(cursor, branch, depth);
        if (answer != 0) return answer;
    }
    return 0;
}

static int scan_value(Cursor *cursor, const Shape *shape, int depth)
{
    if (shape == NULL) shape = &ANYTHING;
    if (shape->branches != NULL) return scan_branches(cursor, shape, depth);
    if (*cursor->at == '"') return shape->kinds & STRING ? scan_text_value(cursor, shape) : 0;
    if (shape->verdict != NULL) return 0;
    switch (*cursor->at) {
    case '{':
        if (!(shape->kinds & OBJECT) || depth == 0 || shape->declared > MOST_MEMBERS) return 0;
        return scan_object(cursor, shape, depth);
    case '[':
        return shape->kinds & ARRAY && depth > 0 ? scan_array(cursor, shape, depth) : 0;
    case 't': return scan_word(cursor, "true", shape, BOOLEAN);
    case 'f': return scan_word(cursor, "false", shape, BOOLEAN);
    case 'n': return scan_word(cursor, "null", shape, NOTHING);
    default: return scan_number(cursor, shape);
    }
}

int scan(PyObject *text, const Shape *shape)
{
    Py_ssize_t size;
    Cursor cursor = {PyUnicode_AsUTF8AndSize(text, &size), NULL};
    if (cursor.at == NULL) return -1;
    if (size > MOST_BYTES) return 0;
    cursor.end = cursor.at + size;
    skip_space(&cursor);
    int answer = scan_value(&cursor, shape, MAX_DEPTH);
    skip_space(&cursor);
    return answer == 1 ? cursor.at == cursor.end : answer;
}
