/* Look at JSON text without reading it into data: is it strict, and does it fit a shape?

   Every no is left to the reader of `jsonio.jsontext`, also for what is right but rare: names with
   escapes, many keys that are not declared, what has to be decided as data. */

#include "native.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, FEW_MEMBERS = 64, FEW_OTHERS = 32, SURE_DIGITS = 15 };
/* How often a name may meet others in the table of names before the text is left to the reader, and
   how many bytes are read again for branches of unions that do not fit. */
enum { MOST_PROBES = 64, SPARE_BYTES = 8 * MOST_BYTES };
/* Exponents of more digits no Decimal holds: the reader says so. */
enum { MOST_EXPONENT_DIGITS = 17, WHOLE_DIGITS = 19, EXACT_POWERS = 23 };

/* At the end is a NUL, which stands for nothing in JSON: nothing is read behind it. */
typedef struct {
    const char *at, *end;
    Py_ssize_t spare;            /* bytes that may still be read again */
    int mixed, mixed_if_large;   /* as in Room */
    bool may_drop;
    Py_ssize_t dropped;
} Cursor;

typedef struct {
    const char *start;
    Py_ssize_t size;
    bool escaped;
} Text;

/* The names of members that are not declared: a few, then a table of them. */
typedef struct {
    Text few[FEW_OTHERS];
    Text *table;                 /* NULL while they are few; what has no start is free */
    Py_ssize_t count, room;      /* the room is a power of two */
} Others;

/* Which members of an object are there. */
typedef struct {
    uint64_t few;
    unsigned char *many;         /* NULL where few are declared */
} Seen;

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

/* Powers of ten that are exact doubles. */
static const double TENTHS[EXACT_POWERS] = {
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22};

/* Whether a decimal is within bounds, where its nearest double need not be known; else -1. With all
   digits in 64 bits, the quotient is off by less than two units in its last place. */
static int is_surely_within(
    const char *text, uint64_t number, Py_ssize_t fraction, Py_ssize_t digits, const Shape *shape)
{
    bool is_negative = *text == '-';
    for (const char *at = text + is_negative; *at == '0' || *at == '.'; at++) digits -= *at == '0';
    if (digits > WHOLE_DIGITS || fraction >= EXACT_POWERS) return -1;
    double near = (double)number / TENTHS[fraction], off = near * 1e-15;
    if (is_negative) near = -near;
    if (near - off >= shape->low && near + off <= shape->high) return 1;
    return near + off < shape->low || near - off > shape->high ? 0 : -1;
}

/* Whether a number with a point or an exponent may be whole as a float; see look_at_number. */
static bool may_be_whole(const char *fraction, const char *end, Py_ssize_t digits)
{
    const char *at = fraction;
    while (*at == '0') at++;
    if (!is_digit(*at)) return true;
    while (is_digit(*at)) at++;
    return at != end || digits + (at - fraction) > SURE_DIGITS;
}

static int scan_number(Cursor *cursor, const Shape *shape)
{
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
    if (at != behind_digits) {
        if (cursor->mixed && may_be_whole(behind_digits + 1, at, digits)) return 0;
        if (cursor->mixed_if_large && (has_exponent || digits > SURE_DIGITS)) return 0;
    }
    if (!has_exponent && digits + fraction <= SURE_DIGITS) {
        /* A quotient of two numbers that are exact is the double that is nearest (IEEE 754). */
        double value = (double)number / TENTHS[fraction];
        return is_within(*start == '-' ? -value : value, shape);
    }
    int sure = has_exponent ? -1 : is_surely_within(start, number, fraction, digits + fraction, shape);
    if (sure >= 0) return sure;
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

static bool is_same(const Text *one, const Text *other)
{
    return one->size == other->size && memcmp(one->start, other->start, one->size) == 0;
}

/* FNV-1a; names that are chosen to meet each other end the look, see MOST_PROBES. */
static uint64_t hash_of(const Text *name)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (Py_ssize_t place = 0; place < name->size; place++)
        hash = (hash ^ (unsigned char)name->start[place]) * 0x100000001b3;
    return hash ^ hash >> 32;
}

/* Put a name into the table: 0 if it is there, or meets too many others. */
static int put(Others *others, const Text *name)
{
    uint64_t place = hash_of(name);
    for (int probe = 0; probe < MOST_PROBES; probe++, place++) {
        Text *other = &others->table[place & (others->room - 1)];
        if (other->start == NULL) return *other = *name, 1;
        if (is_same(other, name)) return 0;
    }
    return 0;
}

/* Make a table of twice as many names. */
static int grow(Others *others)
{
    Others old = *others;
    others->room = old.table == NULL ? 4 * FEW_OTHERS : 2 * old.room;
    others->table = PyMem_Calloc(others->room, sizeof(Text));
    if (others->table == NULL) return PyErr_NoMemory(), others->table = old.table, -1;
    const Text *names = old.table == NULL ? others->few : old.table;
    Py_ssize_t count = old.table == NULL ? old.count : old.room;
    int answer = 1;
    for (Py_ssize_t place = 0; place < count && answer == 1; place++)
        if (names[place].start != NULL) answer = put(others, &names[place]);
    PyMem_Free(old.table);
    return answer;
}

/* Note the name of a member that is not declared: 0 if it was there. */
static int note(Others *others, const Text *name)
{
    if (others->table == NULL) {
        for (Py_ssize_t place = 0; place < others->count; place++)
            if (is_same(&others->few[place], name)) return 0;
        if (others->count < FEW_OTHERS) return others->few[others->count++] = *name, 1;
    }
    if (others->table == NULL || 2 * others->count >= others->room) {
        int answer = grow(others);
        if (answer != 1) return answer;
    }
    others->count++;
    return put(others, name);
}

/* Note that a declared member is there: 0 if it was. */
static int see(Seen *seen, Py_ssize_t place)
{
    if (seen->many != NULL) return seen->many[place] ? 0 : (seen->many[place] = 1);
    if (seen->few >> place & 1) return 0;
    seen->few |= (uint64_t)1 << place;
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

static int scan_members(
    Cursor *cursor, const Shape *shape, int depth, Seen *seen, Others *others)
{
    Py_ssize_t required = 0, place = -1;
    int more = 1;
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
            bool is_dropped = shape->drops && cursor->may_drop;
            int answer = shape->closed && !is_dropped ? 0 : note(others, &name);
            if (answer != 1) return answer;
            cursor->dropped += is_dropped;
        } else {
            if (!see(seen, place)) return 0;
            required += shape->members[place].required;
            inner = shape->members[place].shape;
        }
        int answer = scan_value(cursor, inner, depth - 1);
        if (answer != 1) return answer;
        more = go_on(cursor, '}');
    }
    return more == 0 && required == shape->required;
}

static int scan_object(Cursor *cursor, const Shape *shape, int depth)
{
    Seen seen = {0, NULL};
    Others others;
    others.table = NULL;
    others.count = 0;
    if (shape->declared > FEW_MEMBERS) {
        seen.many = PyMem_Calloc(shape->declared, 1);
        if (seen.many == NULL) return PyErr_NoMemory(), -1;
    }
    int answer = scan_members(cursor, shape, depth, &seen, &others);
    PyMem_Free(others.table);
    PyMem_Free(seen.many);
    return answer;
}

static int scan_branches(Cursor *cursor, const Shape *shape, int depth)
{
    const char *start = cursor->at;
    Py_ssize_t count = PyTuple_Size(shape->branches);
    int answer = 0;
    bool may_drop = cursor->may_drop;
    if (count > 1) cursor->may_drop = false;
    cursor->mixed += shape->mixed;
    cursor->mixed_if_large += shape->mixed_if_large;
    for (Py_ssize_t place = 0; answer == 0 && place < count && cursor->spare >= 0; place++) {
        const Shape *branch = (const Shape *)PyTuple_GetItem(shape->branches, place);
        cursor->at = start;
        answer = scan_value(cursor, branch, depth);
        if (answer == 0) cursor->spare -= 1 + cursor->at - start;
    }
    cursor->mixed -= shape->mixed;
    cursor->mixed_if_large -= shape->mixed_if_large;
    cursor->may_drop = may_drop;
    return answer;
}

static int scan_value(Cursor *cursor, const Shape *shape, int depth)
{
    if (shape == NULL) shape = &ANYTHING;
    if (shape->branches != NULL) return scan_branches(cursor, shape, depth);
    if (*cursor->at == '"') return shape->kinds & STRING ? scan_text_value(cursor, shape) : 0;
    if (shape->verdict != NULL) return 0;
    switch (*cursor->at) {
    case '{':
        return shape->kinds & OBJECT && depth > 0 ? scan_object(cursor, shape, depth) : 0;
    case '[':
        return shape->kinds & ARRAY && depth > 0 ? scan_array(cursor, shape, depth) : 0;
    case 't': return scan_word(cursor, "true", shape, BOOLEAN);
    case 'f': return scan_word(cursor, "false", shape, BOOLEAN);
    case 'n': return scan_word(cursor, "null", shape, NOTHING);
    default: return scan_number(cursor, shape);
    }
}

int scan(PyObject *text, const Shape *shape, Py_ssize_t *dropped)
{
    Py_ssize_t size;
    const char *start = PyUnicode_AsUTF8AndSize(text, &size);
    Cursor cursor = {start, NULL, SPARE_BYTES, 0, 0, dropped != NULL, 0};
    if (cursor.at == NULL) return -1;
    if (size > MOST_BYTES) return 0;
    cursor.end = cursor.at + size;
    skip_space(&cursor);
    int answer = scan_value(&cursor, shape, MAX_DEPTH);
    skip_space(&cursor);
    if (dropped != NULL) *dropped = cursor.dropped;
    return answer == 1 ? cursor.at == cursor.end : answer;
}
