/* Copy plain data, and make the outcome of a call that gave some. */

#include "native.h"

static PyObject *copy_containers(State *state, PyObject *value, Py_ssize_t room, int depth);

/* Copy an item of a container, whose copy holds it: 1, or 0 if it is not plain, or -1. */
static int copy_item(State *state, PyObject *item, Py_ssize_t share, int depth, PyObject **copy)
{
    *copy = NULL;
    if (!PyDict_CheckExact(item) && !PyList_CheckExact(item))
        return state == NULL ? 1 : look(state, item, NULL, share, depth);
    *copy = copy_containers(state, item, share, depth);
    return *copy != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* Nothing else knows the copy yet, so that nothing changes it meanwhile. */
static int copy_members(State *state, PyObject *copy, Py_ssize_t share, int depth)
{
    Py_ssize_t position = 0;
    PyObject *key, *item, *inner;
    while (PyDict_Next(copy, &position, &key, &item)) {
        if (!PyUnicode_CheckExact(key)) return 0;
        if (state != NULL && look_at_text(key, NULL) < 0) return -1;
        Py_INCREF(key);
        Py_INCREF(item);
        int answer = copy_item(state, item, share, depth - 1, &inner);
        if (inner != NULL && PyDict_SetItem(copy, key, inner) < 0) answer = -1;
        Py_XDECREF(inner);
        Py_DECREF(item);
        Py_DECREF(key);
        if (answer != 1) return answer;
    }
    return 1;
}

static int copy_items(State *state, PyObject *copy, Py_ssize_t share, int depth)
{
    for (Py_ssize_t index = 0; index < PyList_Size(copy); index++) {
        PyObject *item = PyList_GetItem(copy, index), *inner;
        if (item == NULL) return -1;
        Py_INCREF(item);
        int answer = copy_item(state, item, share, depth - 1, &inner);
        if (inner != NULL && PyList_SetItem(copy, index, inner) < 0) answer = -1;
        Py_DECREF(item);
        if (answer != 1) return answer;
    }
    return 1;
}

/* Copy dicts and lists; what is in them is looked at if there is a state for that. */
static PyObject *copy_containers(State *state, PyObject *value, Py_ssize_t room, int depth)
{
    bool is_object = PyDict_CheckExact(value);
    PyObject *copy = is_object ? PyDict_Copy(value) : PyList_GetSlice(value, 0, PY_SSIZE_T_MAX);
    if (copy == NULL) return NULL;
    Py_ssize_t size = is_object ? PyDict_Size(copy) : PyList_Size(copy);
    room -= size;
    if (room >= 0 && depth > 0) {
        Py_ssize_t share = size == 0 ? 0 : room / size;
        int answer = is_object ? copy_members(state, copy, share, depth)
                               : copy_items(state, copy, share, depth);
        if (answer == 1) return copy;
        if (answer < 0 && PyErr_ExceptionMatches(PyExc_ValueError)) PyErr_Clear();
    }
    Py_DECREF(copy);
    return NULL;
}

PyObject *copy_plain(State *state, PyObject *value, Py_ssize_t room, int depth)
{
    return copy_containers(state, value, room, depth);
}

PyObject *copy_unseen(PyObject *value)
{
    return copy_containers(NULL, value, MAX_VALUES, MAX_DEPTH);
}

/* What is shown of a plain result: a new reference, or NULL where it has to be looked at whole. */
static PyObject *shown_of(State *state, PyObject *result)
{
    if (PyDict_CheckExact(result)) return copy_plain(state, result, MAX_VALUES, MAX_DEPTH);
    if (!PyUnicode_CheckExact(result)) return NULL;
    if (look_at_text(result, NULL) == 1) return Py_NewRef(result);
    PyErr_Clear();
    return NULL;
}

PyObject *make_outcome(
    State *state, PyObject *value, PyObject *shown, PyObject *arguments, PyObject *options,
    PyObject *coercions)
{
    PyObject *parts[OUTCOME_SLOTS] = {value, shown, arguments, options, coercions, Py_None};
    if (state->outcome == NULL) return PyErr_Format(PyExc_TypeError, "set_outcome was not called");
    PyObject *outcome = PyType_GenericAlloc((PyTypeObject *)state->outcome, 0);
    for (int place = 0; outcome != NULL && place < OUTCOME_SLOTS; place++)
        if (state->set_slot(state->slots[place], outcome, parts[place]) < 0) Py_CLEAR(outcome);
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

static const char *const slot_names[OUTCOME_SLOTS] = {
    "_value", "_shown", "_arguments", "_options", "coercions", "call_id",
};

/* Take what sets one slot of a class; the slots of a class are all of one type. */
static descrsetfunc take_slot(PyObject *outcome, const char *name, PyObject **slot)
{
    *slot = PyObject_GetAttrString(outcome, name);
    if (*slot == NULL) return NULL;
    descrsetfunc set = (descrsetfunc)PyType_GetSlot(Py_TYPE(*slot), Py_tp_descr_set);
    if (set == NULL) PyErr_Format(PyExc_TypeError, "%s is no slot", name);
    return set;
}

/* Remember the class of outcomes, and its slots, which `__slots__` made. */
PyObject *set_outcome(PyObject *module, PyObject *outcome)
{
    State *state = PyModule_GetState(module);
    PyObject *slots[OUTCOME_SLOTS] = {NULL};
    descrsetfunc set_slot = NULL;
    int taken = 0;
    if (!PyType_Check(outcome)) return PyErr_Format(PyExc_TypeError, "expected a class");
    for (; taken < OUTCOME_SLOTS; taken++) {
        descrsetfunc set = take_slot(outcome, slot_names[taken], &slots[taken]);
        if (set == NULL) break;
        if (set_slot != NULL && set != set_slot) {
            PyErr_SetString(PyExc_TypeError, "expected slots of one type");
            break;
        }
        set_slot = set;
    }
    for (int place = 0; place < OUTCOME_SLOTS; place++) {
        PyObject *unused = slots[place];
        if (taken == OUTCOME_SLOTS) {
            unused = state->slots[place];
            state->slots[place] = slots[place];
        }
        Py_XDECREF(unused);
    }
    if (taken < OUTCOME_SLOTS) return NULL;
    PyObject *old = state->outcome;
    state->outcome = Py_NewRef(outcome);
    state->set_slot = set_slot;
    Py_XDECREF(old);
    Py_RETURN_NONE;
}
