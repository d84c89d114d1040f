/* Look at Python data: are they plain JSON data, and do they fit a shape? */

#include "native.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From 2^53 on a double does not say which integer was meant. */
static const double EXACT = 9007199254740992.0;

/* The type of a plain value; 0 for what is none. Subclasses are none. */
int kind_of(PyObject *value)
{
    if (PyUnicode_CheckExact(value)) return STRING;
    if (PyLong_CheckExact(value)) return INTEGER;
    if (PyFloat_CheckExact(value)) return NUMBER;
    if (PyDict_CheckExact(value)) return OBJECT;
    if (PyList_CheckExact(value)) return ARRAY;
    if (value == Py_True || value == Py_False) return BOOLEAN;
    return value == Py_None ? NOTHING : 0;
}

PyObject *to_verdict(int answer)
{
    if (answer < 0) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) return NULL;
        PyErr_Clear();
        answer = 0;
    }
    return PyBool_FromLong(answer);
}

/* Let whatever the shape itself does not know decide. */
int ask(const Shape *shape, PyObject *value)
{
    PyObject *answer = PyObject_CallFunctionObjArgs(shape->verdict, value, NULL);
    if (answer == NULL) return -1;
    int is_yes = answer == Py_True;
    Py_DECREF(answer);
    return is_yes;
}

int is_small_enough(State *state, PyObject *integer)
{
    int is_below = PyObject_RichCompareBool(integer, state->too_large, Py_LT);
    if (is_below != 1) return is_below;
    return PyObject_RichCompareBool(integer, state->too_small, Py_GT);
}

/* The bounds of a shape are less than 2^53 or none, so that a double is exact enough. Integers of
   more than 64 bits are left to the engine where there are any. */
static int look_at_integer(State *state, PyObject *integer, const Shape *shape)
{
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(integer, &overflow);
    if (overflow != 0) {
        if (shape != NULL && !(isinf(shape->low) && isinf(shape->high))) return 0;
        return is_small_enough(state, integer);
    }
    return shape == NULL || ((double)number >= shape->low && (double)number <= shape->high);
}

/* A whole float in a union that mixes numbers is settled first, so that each way of writing it means
   the same branch. */
static int look_at_number(PyObject *number, const Shape *shape, Room *room)
{
    double value = PyFloat_AsDouble(number);
    if (!isfinite(value) || (room->mixed && value == floor(value))) return 0;
    if (room->mixed_if_large && fabs(value) >= EXACT) return 0;
    if (shape == NULL) return 1;
    if (!(shape->kinds & NUMBER)) {
        if (!(shape->kinds & WHOLE_FLOAT) || value != floor(value) || fabs(value) >= EXACT) return 0;
        room->whole_floats++;
    }
    return value >= shape->low && value <= shape->high;
}

/* Text with a lone surrogate raises a `UnicodeEncodeError`, which is a `ValueError`. */
int look_at_text(PyObject *text, const Shape *shape)
{
    Py_ssize_t size;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (utf8 == NULL) return -1;
    if (shape == NULL) return 1;
    Py_ssize_t length = PyUnicode_GetLength(text);
    if (length < shape->shortest || length > shape->longest) return 0;
    return look_at_bytes(utf8, size, shape);
}

static int look_at_array(
    State *state, PyObject *array, const Shape *shape, Room *room, int depth)
{
    Py_ssize_t size = PyList_Size(array);
    room->values -= size;
    if (room->values < 0 || depth == 0) return 0;
    if (shape != NULL && (size < shape->fewest || size > shape->most)) return 0;
    const Shape *inner = shape == NULL ? NULL : shape->items;
    for (Py_ssize_t index = 0; index < PyList_Size(array); index++) {
        PyObject *item = PyList_GetItem(array, index);
        if (item == NULL) return -1;
        Py_INCREF(item);  /* what is asked may change the list */
        int answer = look(state, item, inner, room, depth - 1);
        Py_DECREF(item);
        if (answer != 1) return answer;
    }
    return PyList_Size(array) == size;
}

/* How a name stands to that of a member: shorter ones first. */
static int compare_name(const char *name, Py_ssize_t size, const Member *member)
{
    if (size != member->name.size) return size < member->name.size ? -1 : 1;
    return memcmp(name, member->name.utf8, size);
}

static int compare_members(const void *one, const void *other)
{
    const Member *member = *(const Member *const *)one;
    return compare_name(member->name.utf8, member->name.size, *(const Member *const *)other);
}

int sort_members(Shape *shape)
{
    shape->sorted = PyMem_Calloc(shape->declared > 0 ? shape->declared : 1, sizeof(Member *));
    if (shape->sorted == NULL) return PyErr_NoMemory(), -1;
    for (Py_ssize_t place = 0; place < shape->declared; place++)
        shape->sorted[place] = &shape->members[place];
    qsort((void *)shape->sorted, shape->declared, sizeof(Member *), compare_members);
    return 0;
}

Py_ssize_t place_of(const Shape *shape, const char *name, Py_ssize_t size, Py_ssize_t expected)
{
    Py_ssize_t low = 0, high = shape->declared;
    if (expected < high && compare_name(name, size, &shape->members[expected]) == 0)
        return expected;
    while (low < high) {
        Py_ssize_t middle = (low + high) / 2;
        int order = compare_name(name, size, shape->sorted[middle]);
        if (order == 0) return shape->sorted[middle] - shape->members;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return -1;
}

static int look_at_object(
    State *state, PyObject *object, const Shape *shape, Room *room, int depth)
{
    Py_ssize_t size = PyDict_Size(object), position = 0, seen = 0, required = 0, place = -1;
    PyObject *key, *item;
    room->values -= size;
    if (room->values < 0 || depth == 0) return 0;
    for (; PyDict_Next(object, &position, &key, &item); seen++) {
        Py_ssize_t length;
        if (!PyUnicode_CheckExact(key)) return 0;
        const char *name = PyUnicode_AsUTF8AndSize(key, &length);
        if (name == NULL) return -1;
        const Shape *inner = NULL;
        if (shape != NULL) {
            place = place_of(shape, name, length, place + 1);
            if (place < 0 && shape->closed) {
                if (!shape->drops || !room->may_drop) return 0;
                room->dropped++;
            }
            inner = place < 0 ? shape->rest : shape->members[place].shape;
            required += place >= 0 && shape->members[place].required;
        }
        Py_INCREF(item);  /* what is asked may change the dict */
        int answer = look(state, item, inner, room, depth - 1);
        Py_DECREF(item);
        if (answer != 1) return answer;
    }
    if (seen != size || PyDict_Size(object) != size) return 0;
    return shape == NULL || required == shape->required;
}

static int look_at_branches(
    State *state, PyObject *value, const Shape *shape, Room *room, int depth)
{
    Py_ssize_t count = PyTuple_Size(shape->branches), values = room->values;
    int answer = 0;
    bool may_drop = room->may_drop;
    if (count > 1) room->may_drop = false;  /* keys tell which branch is meant */
    room->mixed += shape->mixed;
    room->mixed_if_large += shape->mixed_if_large;
    for (Py_ssize_t place = 0; answer == 0 && place < count && room->spare >= 0; place++) {
        const Shape *branch = (const Shape *)PyTuple_GetItem(shape->branches, place);
        Py_ssize_t steps = room->steps;
        room->values = values;
        answer = look(state, value, branch, room, depth);
        if (answer == 0) room->spare -= room->steps - steps;
    }
    room->mixed -= shape->mixed;
    room->mixed_if_large -= shape->mixed_if_large;
    room->may_drop = may_drop;
    return answer;
}

/* Let the verdict of a shape decide: it takes much longer than a look. */
static int look_by_verdict(PyObject *value, const Shape *shape, Room *room)
{
    Py_ssize_t length = PyUnicode_CheckExact(value) ? PyUnicode_GetLength(value) : 0;
    room->steps += STEPS_OF_VERDICT + length / STEPS_OF_VERDICT;
    room->whole_floats += !PyUnicode_CheckExact(value);  /* it may take some */
    return ask(shape, value);
}

int look(State *state, PyObject *value, const Shape *shape, Room *room, int depth)
{
    int kind = kind_of(value), answer = 1;
    room->steps++;
    if (shape != NULL) {
        if (!(shape->kinds & (kind == NUMBER ? NUMBER | WHOLE_FLOAT : kind))) return 0;
        if (shape->branches != NULL) return look_at_branches(state, value, shape, room, depth);
    }
    switch (kind) {
    case 0: return 0;
    case STRING: answer = look_at_text(value, shape); break;
    case INTEGER: answer = look_at_integer(state, value, shape); break;
    case NUMBER: answer = look_at_number(value, shape, room); break;
    case ARRAY: answer = look_at_array(state, value, shape, room, depth); break;
    case OBJECT: answer = look_at_object(state, value, shape, room, depth); break;
    default: break;
    }
    if (answer == 1 && shape != NULL && shape->verdict != NULL)
        return look_by_verdict(value, shape, room);
    return answer;
}
