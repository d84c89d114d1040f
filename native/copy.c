/* Copy plain data, and make the outcome of a call that gave some. */

#include "native.h"
#include <stddef.h>
#include <structmember.h>

static PyObject *copy_containers(State *state, PyObject *value, Room *room, int depth);

/* Copy an item of a container, whose copy holds it: 1, or 0 if it is not plain, or -1. */
static int copy_item(State *state, PyObject *item, Room *room, int depth, PyObject **copy)
{
    *copy = NULL;
    if (!PyDict_CheckExact(item) && !PyList_CheckExact(item))
        return state == NULL ? 1 : look(state, item, NULL, room, depth);
    *copy = copy_containers(state, item, room, depth);
    return *copy != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* Nothing else knows the copy yet, so that nothing changes it meanwhile. */
static int copy_members(State *state, PyObject *copy, Room *room, int depth)
{
    Py_ssize_t position = 0;
    PyObject *key, *item, *inner;
    while (PyDict_Next(copy, &position, &key, &item)) {
        if (!PyUnicode_CheckExact(key)) return 0;
        if (state != NULL && look_at_text(key, NULL) < 0) return -1;
        Py_INCREF(key);
        Py_INCREF(item);
        int answer = copy_item(state, item, room, depth - 1, &inner);
        if (inner != NULL && PyDict_SetItem(copy, key, inner) < 0) answer = -1;
        Py_XDECREF(inner);
        Py_DECREF(item);
        Py_DECREF(key);
        if (answer != 1) return answer;
    }
    return 1;
}

static int copy_items(State *state, PyObject *copy, Room *room, int depth)
{
    for (Py_ssize_t index = 0; index < PyList_Size(copy); index++) {
        PyObject *item = PyList_GetItem(copy, index), *inner;
        if (item == NULL) return -1;
        Py_INCREF(item);
        int answer = copy_item(state, item, room, depth - 1, &inner);
        if (inner != NULL && PyList_SetItem(copy, index, inner) < 0) answer = -1;
        Py_DECREF(item);
        if (answer != 1) return answer;
    }
    return 1;
}

/* Copy dicts and lists; what is in them is looked at if there is a state for that. */
static PyObject *copy_containers(State *state, PyObject *value, Room *room, int depth)
{
    bool is_object = PyDict_CheckExact(value);
    PyObject *copy = is_object ? PyDict_Copy(value) : PyList_GetSlice(value, 0, PY_SSIZE_T_MAX);
    if (copy == NULL) return NULL;
    Py_ssize_t size = is_object ? PyDict_Size(copy) : PyList_Size(copy);
    room->values -= size;
    if (room->values >= 0 && depth > 0) {
        int answer = is_object ? copy_members(state, copy, room, depth)
                               : copy_items(state, copy, room, depth);
        if (answer == 1) return copy;
        if (answer < 0 && PyErr_ExceptionMatches(PyExc_ValueError)) PyErr_Clear();
    }
    Py_DECREF(copy);
    return NULL;
}

PyObject *copy_plain(State *state, PyObject *value, Room *room, int depth)
{
    return copy_containers(state, value, room, depth);
}

PyObject *copy_unseen(PyObject *value, Room *room, int depth)
{
    return copy_containers(NULL, value, room, depth);
}

/* How far a walk along all that an object refers to may still go. */
typedef struct { Py_ssize_t room; int depth; } Walk;

static int walk_on(PyObject *value, void *arg)
{
    Walk *walk = arg;
    if (--walk->room < 0 || walk->depth == 0) return 1;
    PyTypeObject *type = Py_TYPE(value);
    if (PyType_Check(value) || !(PyType_GetFlags(type) & Py_TPFLAGS_HAVE_GC)) return 0;
    traverseproc traverse = (traverseproc)PyType_GetSlot(type, Py_tp_traverse);
    if (traverse == NULL) return 0;
    walk->depth--;
    int ended = traverse(value, walk_on, walk);
    walk->depth++;
    return ended;
}

/* Whether an object refers to few others, each counted wherever it stands. */
PyObject *is_small(PyObject *module, PyObject *value)
{
    (void)module;
    Walk walk = {FEW_REFERENTS, 2 * MAX_DEPTH};
    return PyBool_FromLong(walk_on(value, &walk) == 0);
}

/* What is shown of a plain result: a new reference, or NULL where it has to be looked at whole. */
static PyObject *shown_of(State *state, PyObject *result)
{
    Room room = WHOLE_ROOM;
    if (PyDict_CheckExact(result)) return copy_plain(state, result, &room, MAX_DEPTH);
    if (!PyUnicode_CheckExact(result)) return NULL;
    if (look_at_text(result, NULL) == 1) return Py_NewRef(result);
    PyErr_Clear();
    return NULL;
}

PyObject *make_outcome(
    State *state, PyObject *value, PyObject *shown, PyObject *arguments, PyObject *options,
    PyObject *coercions)
{
    if (state->outcome == NULL) return PyErr_Format(PyExc_TypeError, "set_outcome was not called");
    PyObject *outcome = PyType_GenericAlloc((PyTypeObject *)state->outcome, 0);
    if (outcome == NULL) return NULL;
    PyObject **fields = ((Outcome *)outcome)->fields;
    fields[0] = Py_NewRef(value);
    fields[1] = Py_NewRef(shown);
    fields[2] = Py_NewRef(arguments);
    fields[3] = Py_NewRef(options);
    fields[4] = Py_NewRef(coercions);
    fields[5] = Py_NewRef(Py_None);
    return outcome;
}

PyObject *finish_plain(
    State *state, PyObject *result, PyObject *arguments, PyObject *options, PyObject *coercions)
{
    PyObject *shown = shown_of(state, result);
    if (shown == NULL) return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    PyObject *outcome = make_outcome(state, result, shown, arguments, options, coercions);
    Py_DECREF(shown);
    return outcome;
}

PyObject *finish(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 4) return PyErr_Format(PyExc_TypeError, "finish takes four arguments");
    return finish_plain(PyModule_GetState(module), args[0], args[1], args[2], args[3]);
}

/* Remember the class of outcomes, whose fields are these. */
PyObject *set_outcome(PyObject *module, PyObject *outcome)
{
    State *state = PyModule_GetState(module);
    bool is_ours = PyType_Check(outcome)
        && PyType_IsSubtype((PyTypeObject *)outcome, (PyTypeObject *)state->fields);
    if (!is_ours) return PyErr_Format(PyExc_TypeError, "expected a class of OutcomeFields");
    PyObject *old = state->outcome;
    state->outcome = Py_NewRef(outcome);
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

static int fields_traverse(Outcome *outcome, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)outcome));
    for (int place = 0; place < OUTCOME_FIELDS; place++) Py_VISIT(outcome->fields[place]);
    return 0;
}

static int fields_clear(Outcome *outcome)
{
    for (int place = 0; place < OUTCOME_FIELDS; place++) Py_CLEAR(outcome->fields[place]);
    return 0;
}

static void fields_dealloc(PyObject *outcome)
{
    free_object(outcome, (inquiry)fields_clear);
}

#define FIELD(name, place)                                                                     \
    {name, T_OBJECT_EX, offsetof(Outcome, fields) + (place) * sizeof(PyObject *), 0, NULL}

static PyMemberDef outcome_members[] = {
    FIELD("_value", 0), FIELD("_shown", 1), FIELD("_arguments", 2), FIELD("_options", 3),
    FIELD("coercions", 4), FIELD("call_id", 5), {NULL, 0, 0, 0, NULL},
};

static PyType_Slot fields_slots[] = {
    {Py_tp_doc, "The fields of an outcome, as `__slots__` would make them."},
    {Py_tp_dealloc, fields_dealloc},
    {Py_tp_traverse, fields_traverse},
    {Py_tp_clear, fields_clear},
    {Py_tp_members, outcome_members},
    {0, NULL},
};

PyType_Spec fields_spec = {
    .name = "toolhaft._native.OutcomeFields",
    .basicsize = sizeof(Outcome),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE
        | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = fields_slots,
};
