/* Drop the keys that objects do not declare and ignore; what is left fits the shape. */

#include "native.h"

/* A place in data, from the inside out: a key, or an index where there is no key. */
typedef struct Step {
    const struct Step *outer;
    PyObject *key;
    Py_ssize_t index;
} Step;

static int drop_inside(PyObject *value, const Shape *shape, const Step *at, PyObject *paths);

static PyObject *path_of(const Step *step)
{
    Py_ssize_t size = 0;
    for (const Step *at = step; at != NULL; at = at->outer) size++;
    PyObject *path = PyTuple_New(size);
    for (const Step *at = step; path != NULL && at != NULL; at = at->outer) {
        PyObject *name = at->key == NULL ? PyLong_FromSsize_t(at->index) : Py_NewRef(at->key);
        if (name == NULL || PyTuple_SetItem(path, --size, name) < 0) Py_CLEAR(path);
    }
    return path;
}

static int note_path(const Step *step, PyObject *paths)
{
    PyObject *path = path_of(step);
    int answer = path == NULL ? -1 : PyList_Append(paths, path);
    Py_XDECREF(path);
    return answer;
}

/* Whether a member is declared; -1 with an exception. */
static int is_declared(PyObject *key, const Shape *shape, Py_ssize_t *place)
{
    Py_ssize_t size;
    const char *name = PyUnicode_AsUTF8AndSize(key, &size);
    if (name == NULL) return -1;
    *place = place_of(shape, name, size, *place + 1);
    return *place >= 0;
}

/* Drop the keys of one object, or what is inside of them if they are of a shape. */
static int drop_undeclared(PyObject *object, const Shape *shape, const Step *at, PyObject *paths)
{
    Py_ssize_t place = -1;
    int answer = 0;
    PyObject *keys = PyDict_Keys(object);
    if (keys == NULL) return -1;
    for (Py_ssize_t index = 0; answer == 0 && index < PyList_Size(keys); index++) {
        Step step = {at, PyList_GetItem(keys, index), 0};
        int declared = is_declared(step.key, shape, &place);
        if (declared < 0) answer = -1;
        else if (declared) continue;
        else if (shape->drops)
            answer = note_path(&step, paths) < 0 ? -1 : PyDict_DelItem(object, step.key);
        else
            answer = drop_inside(PyDict_GetItemWithError(object, step.key), shape->rest, &step, paths);
    }
    Py_DECREF(keys);
    return answer;
}

/* First the object itself, then its members as they are declared: in the order of the twin. */
static int drop_in_object(PyObject *object, const Shape *shape, const Step *at, PyObject *paths)
{
    int answer = shape->drops || shape->rest != NULL ? drop_undeclared(object, shape, at, paths) : 0;
    for (Py_ssize_t place = 0; answer == 0 && place < shape->declared; place++) {
        const Member *member = &shape->members[place];
        Step step = {at, member->name.text, 0};
        PyObject *item = PyDict_GetItemWithError(object, member->name.text);
        answer = item == NULL && PyErr_Occurred() ? -1 : drop_inside(item, member->shape, &step, paths);
    }
    return answer;
}

static int drop_inside(PyObject *value, const Shape *shape, const Step *at, PyObject *paths)
{
    int answer = 0;
    while (shape != NULL && shape->branches != NULL)  /* of several branches nothing is dropped */
        shape = PyTuple_Size(shape->branches) > 1
            ? NULL : (const Shape *)PyTuple_GetItem(shape->branches, 0);
    if (value == NULL || shape == NULL) return 0;
    if (PyDict_CheckExact(value)) return drop_in_object(value, shape, at, paths);
    if (!PyList_CheckExact(value)) return 0;
    for (Py_ssize_t index = 0; answer == 0 && index < PyList_Size(value); index++) {
        Step step = {at, NULL, index};
        answer = drop_inside(PyList_GetItem(value, index), shape->items, &step, paths);
    }
    return answer;
}

PyObject *drop_keys(State *state, PyObject *data, const Shape *shape, PyObject **paths)
{
    Room copied = WHOLE_ROOM, seen = WHOLE_ROOM;
    *paths = NULL;
    if (!PyDict_CheckExact(data)) return NULL;
    PyObject *copy = copy_unseen(data, &copied, MAX_DEPTH);
    if (copy == NULL) return NULL;
    seen.may_drop = true;
    int answer = look(state, copy, shape, &seen, MAX_DEPTH);
    if (answer < 0 && PyErr_ExceptionMatches(PyExc_ValueError)) PyErr_Clear();
    /* A float that stands for an integer is written as one of the data that are recorded. */
    if (answer == 1 && seen.dropped > 0 && seen.whole_floats == 0) {
        *paths = PyList_New(0);
        if (*paths != NULL && drop_inside(copy, shape, NULL, *paths) == 0) return copy;
        Py_CLEAR(*paths);
    }
    Py_DECREF(copy);
    return NULL;
}
