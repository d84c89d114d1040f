/* The module: its functions, its type, and a state for each interpreter. */

#include "native.h"

enum { DEEPEST = 200 };  /* so deep that the stack of C holds it, and as deep as jiter reads */

void free_object(PyObject *object, inquiry clear)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc free_memory = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(object);
    (void)clear(object);
    free_memory(object);
    Py_DECREF(type);
}

static PyObject *plain_copy(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    Py_ssize_t room = MAX_VALUES, depth = MAX_DEPTH;
    if (count < 1 || count > 3 || !PyDict_CheckExact(args[0])) {
        PyErr_SetString(PyExc_TypeError, "plain_copy takes a dict, room and depth");
        return NULL;
    }
    if (count > 1) room = PyLong_AsSsize_t(args[1]);
    if (count > 2) depth = PyLong_AsSsize_t(args[2]);
    if (PyErr_Occurred()) return NULL;
    if (depth > DEEPEST) depth = DEEPEST;
    Room left = WHOLE_ROOM;
    left.values = room;
    PyObject *copy = copy_plain(PyModule_GetState(module), args[0], &left, (int)depth);
    return copy != NULL || PyErr_Occurred() ? copy : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"plain_copy", (PyCFunction)(void (*)(void))plain_copy, METH_FASTCALL,
     "Copy a dict of plain JSON data; give None for data that need the exact check."},
    {"finish", (PyCFunction)(void (*)(void))finish, METH_FASTCALL,
     "Make the outcome of a plain result; give None for other results."},
    {"write_plain", write_plain, METH_O,
     "Write plain data as JSON text; give None for what is left to the other writer."},
    {"write_canonical", write_canonical, METH_O,
     "Write plain data in the form of RFC 8785; give None for what is left to the writer in Python."},
    {"is_small", is_small, METH_O,
     "Say whether an object refers to few others, each counted wherever it stands."},
    {"set_outcome", set_outcome, METH_O, "Tell what class `finish` makes."},
    {NULL, NULL, 0, NULL},
};

static int add_limits(State *state)
{
    PyObject *ten = PyLong_FromLong(10), *digits = PyLong_FromLong(MAX_DIGITS);
    if (ten != NULL && digits != NULL) state->too_large = PyNumber_Power(ten, digits, Py_None);
    Py_XDECREF(ten);
    Py_XDECREF(digits);
    if (state->too_large == NULL) return -1;
    state->too_small = PyNumber_Negative(state->too_large);
    return state->too_small == NULL ? -1 : 0;
}

static int module_exec(PyObject *module)
{
    State *state = PyModule_GetState(module);
    if (add_limits(state) < 0) return -1;
    state->nothing = PyTuple_New(0);
    state->shape = PyType_FromModuleAndSpec(module, &shape_spec, NULL);
    state->fields = PyType_FromModuleAndSpec(module, &fields_spec, NULL);
    PyObject *call = PyType_FromModuleAndSpec(module, &call_spec, NULL);
    int failed = state->nothing == NULL || state->shape == NULL || call == NULL
        || state->fields == NULL
        || PyModule_AddObjectRef(module, "OutcomeFields", state->fields) < 0
        || PyModule_AddObjectRef(module, "Shape", state->shape) < 0
        || PyModule_AddObjectRef(module, "RightCall", call) < 0;
    Py_XDECREF(call);
    return failed ? -1 : 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->shape);
    Py_VISIT(state->outcome);
    Py_VISIT(state->fields);
    return 0;
}

static int module_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->too_large);
    Py_CLEAR(state->too_small);
    Py_CLEAR(state->nothing);
    Py_CLEAR(state->shape);
    Py_CLEAR(state->outcome);
    Py_CLEAR(state->fields);
    return 0;
}

static void module_free(void *module)
{
    (void)module_clear(module);
}

/* 3.11 does not know the slot for interpreters with a lock of their own, nor do its headers. */
enum { MULTIPLE_INTERPRETERS = 3 };
#define PER_INTERPRETER_GIL ((void *)2)

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, module_exec},
    {MULTIPLE_INTERPRETERS, PER_INTERPRETER_GIL},
    {0, NULL},
};
static PyModuleDef_Slot slots_of_3_11[] = {{Py_mod_exec, module_exec}, {0, NULL}};

#define MODULE(its_slots)                                                                      \
    {                                                                                          \
        PyModuleDef_HEAD_INIT, .m_name = "toolhaft._native",                                   \
        .m_doc = "The primitives of a right call; their twins are in Python.",                 \
        .m_size = sizeof(State), .m_methods = methods, .m_slots = its_slots,                   \
        .m_traverse = module_traverse, .m_clear = module_clear, .m_free = module_free,         \
    }

static struct PyModuleDef definition = MODULE(slots);
static struct PyModuleDef definition_of_3_11 = MODULE(slots_of_3_11);

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(Py_Version < 0x030C0000 ? &definition_of_3_11 : &definition);
}
