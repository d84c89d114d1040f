/* Dump objects whose fields are plain, as their library does, by a layout: the type of a scalar,
   True for plain data, [layout] for a list, (class, function) for what a function dumps, and
   (class, ((key, name, layout), ...)) for an object that has these attributes. Null may stand
   anywhere. A part that stands in many places counts in each. What is dumped is looked at next; NULL, with or without an exception, for the rest. */

#include "native.h"

static PyObject *dump_list(PyObject *value, PyObject *layout, Room *room, int depth)
{
    if (!PyList_CheckExact(value)) return NULL;
    Py_ssize_t size = PyList_Size(value);
    room->values -= size;
    if (room->values < 0) return NULL;
    PyObject *dump = PyList_New(0);
    for (Py_ssize_t index = 0; dump != NULL && index < PyList_Size(value) && index < size; index++) {
        PyObject *item = Py_XNewRef(PyList_GetItem(value, index));
        PyObject *inner = item == NULL ? NULL : dump_by(item, layout, room, depth - 1);
        if (inner == NULL || PyList_Append(dump, inner) < 0) Py_CLEAR(dump);
        Py_XDECREF(inner);
        Py_XDECREF(item);
    }
    return dump;
}

static PyObject *dump_fields(PyObject *value, PyObject *fields, Room *room, int depth)
{
    Py_ssize_t size = PyTuple_Size(fields);
    room->values -= size;
    if (room->values < 0) return NULL;
    PyObject *dump = PyDict_New();
    for (Py_ssize_t place = 0; dump != NULL && place < size; place++) {
        PyObject *field = PyTuple_GetItem(fields, place);
        PyObject *item = PyObject_GetAttr(value, PyTuple_GetItem(field, 1));
        PyObject *layout = PyTuple_GetItem(field, 2);
        PyObject *inner = item == NULL ? NULL : dump_by(item, layout, room, depth - 1);
        if (inner == NULL || PyDict_SetItem(dump, PyTuple_GetItem(field, 0), inner) < 0)
            Py_CLEAR(dump);
        Py_XDECREF(inner);
        Py_XDECREF(item);
    }
    return dump;
}

PyObject *dump_by(PyObject *value, PyObject *layout, Room *room, int depth)
{
    int kind = kind_of(value);
    bool is_scalar = kind != 0 && kind != ARRAY && kind != OBJECT;
    if (depth == 0) return NULL;
    bool is_right = layout == Py_True || kind == NOTHING || (PyObject *)Py_TYPE(value) == layout;
    if (is_scalar && is_right) return Py_NewRef(value);
    if (PyType_Check(layout)) return NULL;
    if (layout == Py_True) return kind == 0 ? NULL : copy_unseen(value, room, MAX_DEPTH);
    if (PyList_CheckExact(layout))
        return dump_list(value, PyList_GetItem(layout, 0), room, depth);
    if ((PyObject *)Py_TYPE(value) != PyTuple_GetItem(layout, 0)) return NULL;
    PyObject *fields = PyTuple_GetItem(layout, 1);
    return PyTuple_CheckExact(fields) ? dump_fields(value, fields, room, depth)
                                      : PyObject_CallFunctionObjArgs(fields, value, NULL);
}
