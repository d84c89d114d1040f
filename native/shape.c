/* The shapes that data are held to: a tree, made once for each tool. */

#include "native.h"

/* How a union mixes numbers, as schema/shape.py says it. */
enum { MIXED = 1, MIXED_IF_LARGE = 2 };

static void drop_words(Shape *shape)
{
    Word *words = shape->words;
    Py_ssize_t count = shape->choices;
    shape->words = NULL;
    shape->choices = 0;
    for (Py_ssize_t place = 0; place < count; place++) Py_XDECREF(words[place].text);
    PyMem_Free(words);
}

static void drop_members(Shape *shape)
{
    Member *members = shape->members;
    Py_ssize_t count = shape->declared;
    shape->members = NULL;
    shape->declared = 0;
    for (Py_ssize_t place = 0; place < count; place++) {
        Py_XDECREF(members[place].name.text);
        Py_XDECREF((PyObject *)members[place].shape);
    }
    PyMem_Free((void *)shape->sorted);
    shape->sorted = NULL;
    PyMem_Free(members);
}

/* Free the shapes that hold themselves: the outermost one is none of them. */
static void drop_recurring(Shape *shape)
{
    PyObject *recurring = shape->recurring;
    shape->recurring = NULL;
    for (Py_ssize_t place = 0; recurring != NULL && place < PyTuple_Size(recurring); place++)
        Py_CLEAR(((Shape *)PyTuple_GetItem(recurring, place))->branches);
    Py_XDECREF(recurring);
}

static int shape_traverse(Shape *shape, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)shape));
    Py_VISIT(shape->verdict);
    Py_VISIT(shape->branches);
    Py_VISIT(shape->recurring);
    Py_VISIT((PyObject *)shape->items);
    Py_VISIT((PyObject *)shape->rest);
    for (Py_ssize_t place = 0; place < shape->declared; place++)
        Py_VISIT((PyObject *)shape->members[place].shape);
    return 0;
}

static int shape_clear(Shape *shape)
{
    drop_recurring(shape);
    drop_words(shape);
    Py_CLEAR(shape->verdict);
    Py_CLEAR(shape->branches);
    Py_CLEAR(shape->items);
    Py_CLEAR(shape->rest);
    drop_members(shape);
    return 0;
}

static void shape_dealloc(PyObject *shape)
{
    free_object(shape, (inquiry)shape_clear);
}

/* Take a shape, or None for anything plain. */
static int take_shape(PyTypeObject *type, PyObject *given, Shape **place)
{
    if (given == Py_None) return 0;
    if (!Py_IS_TYPE(given, type)) {
        PyErr_SetString(PyExc_TypeError, "expected a shape or None");
        return -1;
    }
    *place = (Shape *)Py_NewRef(given);
    return 0;
}

static int take_word(Word *word, PyObject *text)
{
    if (!PyUnicode_CheckExact(text)) {
        PyErr_SetString(PyExc_TypeError, "expected text");
        return -1;
    }
    word->utf8 = PyUnicode_AsUTF8AndSize(text, &word->size);
    if (word->utf8 == NULL) return -1;
    word->text = Py_NewRef(text);
    return 0;
}

static int take_words(Shape *shape, PyObject *given)
{
    if (given == Py_None) return 0;
    if (!PyTuple_CheckExact(given)) {
        PyErr_SetString(PyExc_TypeError, "words: expected a tuple or None");
        return -1;
    }
    Py_ssize_t count = PyTuple_Size(given);
    shape->words = PyMem_Calloc(count > 0 ? count : 1, sizeof(Word));
    if (shape->words == NULL) return PyErr_NoMemory(), -1;
    for (; shape->choices < count; shape->choices++)
        if (take_word(&shape->words[shape->choices], PyTuple_GetItem(given, shape->choices)) < 0)
            return -1;
    return 0;
}

/* Take one member: its name, its shape and whether it is required. */
static int take_member(PyTypeObject *type, Shape *shape, PyObject *given)
{
    Member *member = &shape->members[shape->declared];
    PyObject *name, *inner;
    int required;
    *member = (Member){0};
    if (!PyTuple_CheckExact(given)) {
        PyErr_SetString(PyExc_TypeError, "members: expected tuples");
        return -1;
    }
    if (!PyArg_ParseTuple(given, "OOp", &name, &inner, &required)) return -1;
    if (take_word(&member->name, name) < 0 || take_shape(type, inner, &member->shape) < 0) {
        Py_CLEAR(member->name.text);
        return -1;
    }
    const char *end = member->name.utf8 + member->name.size;
    member->is_plain = skip_plain(member->name.utf8, end) == end;
    member->required = required;
    shape->required += required;
    shape->declared++;
    return 0;
}

static int take_members(PyTypeObject *type, Shape *shape, PyObject *given)
{
    Py_ssize_t count = PyTuple_Size(given);
    shape->members = PyMem_Calloc(count > 0 ? count : 1, sizeof(Member));
    if (shape->members == NULL) return PyErr_NoMemory(), -1;
    for (Py_ssize_t place = 0; place < count; place++)
        if (take_member(type, shape, PyTuple_GetItem(given, place)) < 0) return -1;
    return sort_members(shape);
}

static int take_branches(PyTypeObject *type, Shape *shape, PyObject *given)
{
    for (Py_ssize_t place = 0; place < PyTuple_Size(given); place++) {
        if (!Py_IS_TYPE(PyTuple_GetItem(given, place), type)) {
            PyErr_SetString(PyExc_TypeError, "expected shapes");
            return -1;
        }
    }
    shape->branches = PyTuple_Size(given) == 0 ? NULL : Py_NewRef(given);
    return 0;
}

static PyObject *or_null(PyObject *given)
{
    return given == Py_None ? NULL : Py_NewRef(given);
}

static PyObject *shape_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {
        "kinds", "low", "high", "shortest", "longest", "fewest", "most", "words", "format",
        "verdict", "branches", "mixed", "items", "members", "rest", "closed", "drops", NULL,
    };
    PyObject *words, *verdict, *branches, *items, *members, *rest;
    int closed, drops, mixed;
    Shape *shape = (Shape *)PyType_GenericAlloc(type, 0);
    if (shape == NULL) return NULL;
    if (!PyArg_ParseTupleAndKeywords(
            args, keywords, "iddnnnnOiOO!iOO!Opp", names, &shape->kinds, &shape->low, &shape->high,
            &shape->shortest, &shape->longest, &shape->fewest, &shape->most, &words,
            &shape->format, &verdict, &PyTuple_Type, &branches, &mixed, &items, &PyTuple_Type,
            &members, &rest, &closed, &drops))
        goto failed;
    shape->verdict = or_null(verdict);
    shape->closed = closed;
    shape->drops = closed && drops;
    shape->mixed = mixed == MIXED;
    shape->mixed_if_large = mixed == MIXED_IF_LARGE;
    if (take_words(shape, words) < 0 || take_branches(type, shape, branches) < 0
        || take_shape(type, items, &shape->items) < 0
        || take_shape(type, rest, &shape->rest) < 0 || take_members(type, shape, members) < 0)
        goto failed;
    return (PyObject *)shape;
failed:
    Py_DECREF(shape);
    return NULL;
}

static PyObject *shape_fits(Shape *shape, PyObject *data)
{
    State *state = PyType_GetModuleState(Py_TYPE((PyObject *)shape));
    Room room = WHOLE_ROOM;
    return to_verdict(look(state, data, shape, &room, MAX_DEPTH));
}

static PyObject *shape_fits_text(Shape *shape, PyObject *text)
{
    if (!PyUnicode_CheckExact(text)) Py_RETURN_FALSE;
    return to_verdict(scan(text, shape, NULL));
}

/* Give data without the keys that are dropped, and their paths; None where that is not all. */
static PyObject *shape_drop(Shape *shape, PyObject *data)
{
    State *state = PyType_GetModuleState(Py_TYPE((PyObject *)shape));
    PyObject *paths, *rest = drop_keys(state, data, shape, &paths), *both;
    if (rest == NULL) return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    both = PyTuple_Pack(2, rest, paths);
    Py_DECREF(rest);
    Py_DECREF(paths);
    return both;
}

/* Stand for another shape, which holds this one. */
static PyObject *shape_become(Shape *shape, PyObject *other)
{
    if (!Py_IS_TYPE(other, Py_TYPE((PyObject *)shape)) || shape->branches != NULL)
        return PyErr_Format(PyExc_TypeError, "expected a shape, once");
    shape->branches = PyTuple_Pack(1, other);
    return shape->branches == NULL ? NULL : Py_NewRef(Py_None);
}

/* Hold the shapes inside that stand for others, until this shape is freed. */
static PyObject *shape_hold(Shape *shape, PyObject *recurring)
{
    if (!PyTuple_CheckExact(recurring) || shape->recurring != NULL)
        return PyErr_Format(PyExc_TypeError, "expected a tuple of shapes, once");
    for (Py_ssize_t place = 0; place < PyTuple_Size(recurring); place++)
        if (!Py_IS_TYPE(PyTuple_GetItem(recurring, place), Py_TYPE((PyObject *)shape)))
            return PyErr_Format(PyExc_TypeError, "expected shapes");
    shape->recurring = Py_NewRef(recurring);
    return Py_NewRef(Py_None);
}

static PyMethodDef shape_methods[] = {
    {"become", (PyCFunction)shape_become, METH_O, "Stand for a shape that holds this one."},
    {"hold", (PyCFunction)shape_hold, METH_O, "Hold the shapes inside that stand for others."},
    {"drop", (PyCFunction)shape_drop, METH_O,
     "Give data without the keys that are dropped, and their paths."},
    {"fits", (PyCFunction)shape_fits, METH_O, "Whether data are plain and fit the shape."},
    {"fits_text", (PyCFunction)shape_fits_text, METH_O, "Whether JSON text fits the shape."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot shape_slots[] = {
    {Py_tp_doc, "What may stand at one place of data."},
    {Py_tp_new, shape_new},
    {Py_tp_dealloc, shape_dealloc},
    {Py_tp_traverse, shape_traverse},
    {Py_tp_clear, shape_clear},
    {Py_tp_methods, shape_methods},
    {0, NULL},
};

PyType_Spec shape_spec = {
    .name = "toolhaft._native.Shape",
    .basicsize = sizeof(Shape),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = shape_slots,
};
