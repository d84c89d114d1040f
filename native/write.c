/* Write plain data as compact JSON text: as pydantic-core does, or in the form of RFC 8785. */

#include "native.h"
#include <math.h>
#include <string.h>

/* Integers up to here are their doubles, as in jsonio/canonical.py. */
#define EXACT_IN_DOUBLES 9007199254740992LL

typedef struct {
    bool canonical;              /* RFC 8785: members sorted, whole numbers without a fraction */
    char *bytes;
    Py_ssize_t size, room;
    char first[512];             /* for most texts */
} Output;

/* Each gives 1, 0 for what is left to the other writer, or -1 with an exception. */
static int write_value(Output *output, PyObject *value, int depth);

static int make_room(Output *output, Py_ssize_t size)
{
    if (size <= output->room - output->size) return 1;
    Py_ssize_t room = 2 * (output->size + size);
    char *old = output->bytes == output->first ? NULL : output->bytes;
    char *bytes = PyMem_Realloc(old, room);
    if (bytes == NULL) return PyErr_NoMemory(), -1;
    if (old == NULL) memcpy(bytes, output->first, output->size);
    output->bytes = bytes;
    output->room = room;
    return 1;
}

static int put(Output *output, const char *bytes, Py_ssize_t size)
{
    if (make_room(output, size) < 0) return -1;
    memcpy(output->bytes + output->size, bytes, size);
    output->size += size;
    return 1;
}

static int put_escape(Output *output, unsigned char it)
{
    static const char hex[] = "0123456789abcdef", shorts[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    const char *found = it == '\0' ? NULL : strchr(shorts, it);
    if (found != NULL) return put(output, (char[]){'\\', names[found - shorts]}, 2);
    return put(output, (char[]){'\\', 'u', '0', '0', hex[it >> 4], hex[it & 15]}, 6);
}

static int write_text(Output *output, PyObject *text)
{
    Py_ssize_t size;
    const char *at = PyUnicode_AsUTF8AndSize(text, &size);
    if (at == NULL) return -1;
    const char *end = at + size;
    if (put(output, "\"", 1) < 0) return -1;
    for (; at < end; at++) {
        const char *plain_end = skip_plain(at, end);
        if (put(output, at, plain_end - at) < 0) return -1;
        at = plain_end;
        if (at < end && put_escape(output, (unsigned char)*at) < 0) return -1;
    }
    return put(output, "\"", 1);
}

static int write_digits(Output *output, long long number)
{
    char digits[24], *at = digits + sizeof digits;
    unsigned long long left = number < 0 ? 0ULL - (unsigned long long)number : (unsigned long long)number;
    do *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (number < 0) *--at = '-';
    return put(output, at, digits + sizeof digits - at);
}

static int write_integer(Output *output, PyObject *integer)
{
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(integer, &overflow);
    if (overflow != 0) return 0;
    if (output->canonical && (number > EXACT_IN_DOUBLES || number < -EXACT_IN_DOUBLES)) return 0;
    return write_digits(output, number);
}

/* Other numbers have exponents, in which the writers differ. */
static int write_number(Output *output, PyObject *number)
{
    double value = PyFloat_AsDouble(number), size = fabs(value);
    if (output->canonical && value == floor(value))
        return size < EXACT_IN_DOUBLES ? write_digits(output, (long long)value) : 0;
    if (value != 0 && !(size >= 1e-4 && size < 1e16)) return 0;
    char *text = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (text == NULL) return -1;
    int answer = put(output, text, (Py_ssize_t)strlen(text));
    PyMem_Free(text);
    return answer;
}

static int write_array(Output *output, PyObject *array, int depth)
{
    Py_ssize_t size = PyList_Size(array);
    int answer = put(output, "[", 1);
    for (Py_ssize_t index = 0; answer == 1 && index < size; index++) {
        if (index > 0) answer = put(output, ",", 1);
        if (answer == 1) answer = write_value(output, PyList_GetItem(array, index), depth - 1);
    }
    return answer == 1 ? put(output, "]", 1) : answer;
}

static int write_member(Output *output, PyObject *key, PyObject *item, bool is_first, int depth)
{
    int answer = is_first ? 1 : put(output, ",", 1);
    if (answer == 1) answer = write_text(output, key);
    if (answer == 1) answer = put(output, ":", 1);
    return answer == 1 ? write_value(output, item, depth - 1) : answer;
}

static int write_members(Output *output, PyObject *object, int depth)
{
    Py_ssize_t position = 0;
    PyObject *key, *item;
    int answer = 1;
    for (bool is_first = true; answer == 1 && PyDict_Next(object, &position, &key, &item);
         is_first = false)
        answer = PyUnicode_CheckExact(key) ? write_member(output, key, item, is_first, depth) : 0;
    return answer;
}

/* Whether keys are text whose characters sort as their UTF-16 code units do; here, ASCII. */
static int sorts_as_utf16(PyObject *key)
{
    Py_ssize_t size;
    if (!PyUnicode_CheckExact(key)) return 0;
    if (PyUnicode_AsUTF8AndSize(key, &size) == NULL) return -1;
    return size == PyUnicode_GetLength(key);
}

static int write_sorted(Output *output, PyObject *object, int depth)
{
    PyObject *keys = PyDict_Keys(object);
    if (keys == NULL) return -1;
    int answer = 1;
    for (Py_ssize_t index = 0; answer == 1 && index < PyList_Size(keys); index++)
        answer = sorts_as_utf16(PyList_GetItem(keys, index));
    if (answer == 1 && PyList_Sort(keys) < 0) answer = -1;
    for (Py_ssize_t index = 0; answer == 1 && index < PyList_Size(keys); index++) {
        PyObject *key = PyList_GetItem(keys, index), *item = PyDict_GetItemWithError(object, key);
        answer = item == NULL ? -1 : write_member(output, key, item, index == 0, depth);
    }
    Py_DECREF(keys);
    return answer;
}

static int write_object(Output *output, PyObject *object, int depth)
{
    bool sorts = output->canonical && PyDict_Size(object) > 1;
    int answer = put(output, "{", 1);
    if (answer == 1) answer = sorts ? write_sorted(output, object, depth)
                                    : write_members(output, object, depth);
    return answer == 1 ? put(output, "}", 1) : answer;
}

static int write_value(Output *output, PyObject *value, int depth)
{
    switch (kind_of(value)) {
    case NOTHING: return put(output, "null", 4);
    case BOOLEAN: return value == Py_True ? put(output, "true", 4) : put(output, "false", 5);
    case STRING: return write_text(output, value);
    case INTEGER: return write_integer(output, value);
    case NUMBER: return write_number(output, value);
    case ARRAY: return depth > 0 ? write_array(output, value, depth) : 0;
    case OBJECT: return depth > 0 ? write_object(output, value, depth) : 0;
    default: return 0;
    }
}

/* The text; None for data that are left to the writer in Python. */
static PyObject *write_as(PyObject *data, bool canonical)
{
    Output output = {.canonical = canonical, .size = 0, .room = sizeof output.first};
    PyObject *text = NULL;
    output.bytes = output.first;
    int answer = write_value(&output, data, MAX_DEPTH);
    if (answer == 1) text = PyUnicode_FromStringAndSize(output.bytes, output.size);
    if (output.bytes != output.first) PyMem_Free(output.bytes);
    if (answer < 0 && PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Clear();  /* text with a lone surrogate */
        answer = 0;
    }
    return answer == 0 ? Py_NewRef(Py_None) : text;
}

PyObject *write_plain(PyObject *module, PyObject *data)
{
    (void)module;
    return write_as(data, false);
}

PyObject *write_canonical(PyObject *module, PyObject *data)
{
    (void)module;
    return write_as(data, true);
}
