/* A right call of a handler that runs in place; `Boundary.run_whole_sync` is its twin, and runs the rest. */

#include "native.h"

enum {
    /* What constructs from text may be None: then it is read into data. */
    SHAPE, CONSTRUCT_TEXT, READ_TEXT, FUNCTION, OPTIONS,
    /* What makes the coercions of the paths of keys that were dropped. */
    RECORD_DROPPED,
    /* What gives the handler's arguments of an object and a context, or NULL: it takes the object. */
    BIND,
    /* What constructs, and what it takes besides data, or NULL. */
    CONSTRUCT, CONSTRUCT_TYPE,
    /* Of declared results, or NULL: what `Results.fast_steps` gives; TYPE_SHAPE may be None. */
    TYPE_SHAPE, IS_INSTANCE, LAYOUT, DUMP, SCHEMA_SHAPE, CONSTRUCT_RESULT, RESULT_TYPE,
    PARTS
};

typedef struct {
    PyObject_HEAD
    PyObject *parts[PARTS];
    int copies;                  /* whether objects share nothing with the data they are made of */
    int accepts;                 /* whether what constructs also gives the data that are recorded */
    int spreads;                 /* whether the handler takes them as keywords */
    int finishes;                /* whether plain results are outcomes as they are */
} RightCall;

static int call_traverse(RightCall *call, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)call));
    for (int place = 0; place < PARTS; place++) Py_VISIT(call->parts[place]);
    return 0;
}

static int call_clear(RightCall *call)
{
    for (int place = 0; place < PARTS; place++) Py_CLEAR(call->parts[place]);
    return 0;
}

static void call_dealloc(PyObject *call)
{
    free_object(call, (inquiry)call_clear);
}

/* Hold what was parsed, or forget it: it is borrowed until then. */
static void own(PyObject **parts, int first, int end, int is_taken)
{
    for (int place = first; place < end; place++) {
        bool is_absent = parts[place] == Py_None
            && (place == BIND || place == CONSTRUCT_TYPE || place == RESULT_TYPE || place == LAYOUT);
        if (!is_taken || is_absent) parts[place] = NULL;
        Py_XINCREF(parts[place]);
    }
}

static int take_steps(State *state, RightCall *call, PyObject *steps)
{
    PyObject **parts = call->parts;
    if (steps == Py_None) return 0;
    if (!PyTuple_CheckExact(steps)) {
        PyErr_SetString(PyExc_TypeError, "steps: expected a tuple or None");
        return -1;
    }
    int is_taken = PyArg_ParseTuple(
        steps, "O(OO)OOOO!", &parts[TYPE_SHAPE], &parts[CONSTRUCT_RESULT], &parts[RESULT_TYPE],
        &parts[IS_INSTANCE], &parts[LAYOUT], &parts[DUMP], state->shape, &parts[SCHEMA_SHAPE]);
    PyObject *shape = is_taken ? parts[TYPE_SHAPE] : Py_None;
    if (shape != Py_None && Py_TYPE(shape) != (PyTypeObject *)state->shape) {
        PyErr_SetString(PyExc_TypeError, "steps: expected a shape or None first");
        is_taken = 0;
    }
    own(parts, TYPE_SHAPE, PARTS, is_taken);
    return is_taken ? 0 : -1;
}

static PyObject *call_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {
        "shape", "construct", "construct_text", "read_text", "function", "options",
        "record_dropped", "bind", "copies", "accepts", "spreads", "finishes", "steps", NULL,
    };
    PyObject *steps;
    State *state = PyType_GetModuleState(type);
    RightCall *call = (RightCall *)PyType_GenericAlloc(type, 0);
    if (call == NULL) return NULL;
    PyObject **parts = call->parts;
    int is_taken = PyArg_ParseTupleAndKeywords(
        args, keywords, "O!(OO)OOOOOOppppO", names, state->shape, &parts[SHAPE], &parts[CONSTRUCT],
        &parts[CONSTRUCT_TYPE], &parts[CONSTRUCT_TEXT], &parts[READ_TEXT], &parts[FUNCTION],
        &parts[OPTIONS], &parts[RECORD_DROPPED], &parts[BIND], &call->copies, &call->accepts,
        &call->spreads, &call->finishes, &steps);
    own(parts, 0, TYPE_SHAPE, is_taken);
    if (!is_taken || take_steps(state, call, steps) < 0) Py_CLEAR(call);
    return (PyObject *)call;
}

/* Take the exception that was raised; NULL only if there is no memory for it. */
static PyObject *take_error(void)
{
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (traceback != NULL) PyException_SetTraceback(error, traceback);
    Py_XDECREF(traceback);
    Py_XDECREF(type);
    return error;
}

/* A call on its way: what the boundary was given, and what it turns exceptions into outcomes by. */
typedef struct {
    State *state;
    RightCall *tool;
    PyObject *boundary, *raw, *context, *on_error, *coercions;
    PyObject *function;          /* that runs in place of the boundary's; NULL: its own */
} Run;

/* Give what turns exceptions into outcomes: a new reference. */
static PyObject *on_error_of(const Run *run)
{
    if (run->on_error != NULL) return Py_NewRef(run->on_error);
    return PyObject_GetAttrString(run->boundary, "to_outcome");
}

/* Turn an exception of the constructor into an outcome: nothing has run. */
static PyObject *refuse(const Run *run, PyObject *data, PyObject *sent)
{
    PyObject *error = take_error(), *on_error = on_error_of(run), *outcome = NULL;
    if (error != NULL && on_error != NULL)
        outcome = PyObject_CallMethod(
            run->boundary, "refuse", "OOOOO", error, data, on_error, run->coercions, sent);
    Py_XDECREF(on_error);
    Py_XDECREF(error);
    return outcome;
}

/* Turn an exception of the handler, which may have acted, or of its result into an outcome. */
static PyObject *fail(const Run *run, const char *effect)
{
    PyObject *error = take_error(), *on_error = on_error_of(run), *outcome = NULL;
    if (error != NULL && on_error != NULL)
        outcome = PyObject_CallFunction(on_error, "Os", error, effect);
    Py_XDECREF(on_error);
    Py_XDECREF(error);
    return outcome;
}

/* Check a result that is not an outcome as it is. */
static PyObject *check_result(const Run *run, PyObject *result, PyObject *data)
{
    PyObject *on_error = on_error_of(run);
    if (on_error == NULL) return NULL;
    PyObject *outcome = PyObject_CallMethod(
        run->boundary, "check_result", "OOOO", result, data, run->coercions, on_error);
    Py_DECREF(on_error);
    return outcome;
}

/* Forget an `Exception`, which the whole way meets again; a Ctrl-C comes only once. */
static void clear_exception(void)
{
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
}

/* Give a plain copy of a dict, so that nobody has to look whether it fits again; else None. */
static PyObject *unfit_data(const Run *run)
{
    Room room = WHOLE_ROOM;
    PyObject *data = NULL;
    if (PyDict_CheckExact(run->raw)) data = copy_plain(run->state, run->raw, &room, MAX_DEPTH);
    if (data == NULL) clear_exception();
    return data != NULL || PyErr_Occurred() ? data : Py_NewRef(Py_None);
}

/* Run what does not fit the whole way. */
static PyObject *run_whole(const Run *run)
{
    PyObject *data = unfit_data(run), *outcome = NULL;
    if (data == NULL) return fail(run, "none");
    PyObject *on_error = on_error_of(run), *boundary = run->function != NULL
        ? PyObject_CallMethod(run->boundary, "with_function", "O", run->function)
        : Py_NewRef(run->boundary);
    if (boundary != NULL && on_error != NULL)
        outcome = PyObject_CallMethod(
            boundary, "run_whole_sync", "OOOO", run->raw, run->context, on_error, data);
    Py_XDECREF(boundary);
    Py_XDECREF(on_error);
    Py_DECREF(data);
    return outcome;
}

static PyObject *read_text(RightCall *call, PyObject *text)
{
    return PyObject_CallFunctionObjArgs(call->parts[READ_TEXT], text, NULL);
}

/* Give what text is constructed from: the text itself, or the data that it stands for. */
static PyObject *data_of_text(RightCall *call, PyObject *text)
{
    return call->parts[CONSTRUCT_TEXT] != Py_None ? Py_NewRef(text) : read_text(call, text);
}

/* Give what was sent, bytes as the text that they are: NULL where they are none. */
static PyObject *sent_of(PyObject *raw)
{
    if (!PyBytes_CheckExact(raw)) return Py_NewRef(raw);
    PyObject *text = PyUnicode_DecodeUTF8(PyBytes_AsString(raw), PyBytes_Size(raw), NULL);
    if (text == NULL) clear_exception();
    return text;
}

/* Give the data of arguments that fit, which may be text; NULL where they do not fit. Data with so
   many keys that have to be dropped first are none. */
static PyObject *fitting(State *state, RightCall *call, PyObject *raw, Py_ssize_t *dropped)
{
    const Shape *shape = (const Shape *)call->parts[SHAPE];
    PyObject *data = NULL;
    Room copied = WHOLE_ROOM, seen = WHOLE_ROOM;
    int fits = 0;
    if (PyDict_CheckExact(raw)) {
        seen.may_drop = true;
        data = call->copies ? Py_NewRef(raw) : copy_unseen(raw, &copied, MAX_DEPTH);
        if (data != NULL) fits = look(state, data, shape, &seen, MAX_DEPTH);
        *dropped = seen.dropped;
    } else if (PyUnicode_CheckExact(raw)) {
        fits = scan(raw, shape, dropped);
        if (fits == 1) data = *dropped > 0 ? read_text(call, raw) : data_of_text(call, raw);
    }
    if (fits == 1 && data != NULL) return data;
    Py_XDECREF(data);
    clear_exception();
    return NULL;
}

static PyObject *construct(RightCall *call, PyObject *data)
{
    PyObject **parts = call->parts;
    if (PyUnicode_CheckExact(data))
        return PyObject_CallFunctionObjArgs(parts[CONSTRUCT_TEXT], data, NULL);
    return PyObject_CallFunctionObjArgs(parts[CONSTRUCT], data, parts[CONSTRUCT_TYPE], NULL);
}

/* Give what a step gave if that is a pair: else NULL with an error. */
static PyObject *as_pair(PyObject *pair)
{
    if (pair == NULL || (PyTuple_CheckExact(pair) && PyTuple_Size(pair) == 2)) return pair;
    Py_DECREF(pair);
    PyErr_SetString(PyExc_TypeError, "a step of a call: expected to give two");
    return NULL;
}

/* Give the handler's arguments as a tuple of a tuple and a dict; NULL with an error if there are none. */
static PyObject *bind(const Run *run, PyObject *value)
{
    PyObject *call = PyObject_CallFunctionObjArgs(run->tool->parts[BIND], value, run->context, NULL);
    PyObject *bound = as_pair(call);
    if (bound == NULL
        || (PyTuple_CheckExact(PyTuple_GetItem(bound, 0)) && PyDict_CheckExact(PyTuple_GetItem(bound, 1))))
        return bound;
    Py_DECREF(bound);
    PyErr_SetString(PyExc_TypeError, "bind: expected to give a tuple and a dict");
    return NULL;
}

static PyObject *call_function(const Run *run, PyObject *value, PyObject *bound)
{
    PyObject *function = run->function == NULL ? run->tool->parts[FUNCTION] : run->function;
    if (bound != NULL)
        return PyObject_Call(function, PyTuple_GetItem(bound, 0), PyTuple_GetItem(bound, 1));
    if (!run->tool->spreads) return PyObject_CallFunctionObjArgs(function, value, NULL);
    return PyObject_Call(function, run->state->nothing, value);
}

/* Give the object that a result stands for: a new reference, or NULL with or without an error. */
static PyObject *declared_value(State *state, PyObject **parts, PyObject *result)
{
    bool is_data = PyDict_CheckExact(result) || PyList_CheckExact(result);
    if (!is_data || parts[TYPE_SHAPE] == Py_None) {
        PyObject *is_instance = PyObject_CallFunctionObjArgs(parts[IS_INSTANCE], result, NULL);
        Py_XDECREF(is_instance);
        return is_instance == Py_True ? Py_NewRef(result) : NULL;
    }
    Room room = WHOLE_ROOM;
    if (look(state, result, (Shape *)parts[TYPE_SHAPE], &room, MAX_DEPTH) != 1) return NULL;
    PyObject *value =
        PyObject_CallFunctionObjArgs(parts[CONSTRUCT_RESULT], result, parts[RESULT_TYPE], NULL);
    if (value == NULL || Py_TYPE(value) != Py_TYPE(result)) return value;
    int is_same = PyObject_RichCompareBool(value, result, Py_EQ);
    if (is_same == 0) return value;
    Py_DECREF(value);
    return is_same == 1 ? Py_NewRef(result) : NULL;  /* the handler's own list or dict */
}

/* Check a dump that does not fit at once; it is made once, as some values can be read only once. */
static PyObject *check_dump(const Run *run, PyObject *value, PyObject *dump, PyObject *data)
{
    PyObject *on_error = on_error_of(run);
    if (on_error == NULL) return NULL;
    PyObject *outcome = PyObject_CallMethod(
        run->boundary, "check_dump", "OOOOO", value, dump, data, run->coercions, on_error);
    Py_DECREF(on_error);
    return outcome;
}

/* Turn an exception of what dumps a value into an outcome: the handler has ended. */
static PyObject *refuse_dump(const Run *run, PyObject *value)
{
    PyObject *error = take_error(), *on_error = on_error_of(run), *outcome = NULL;
    if (error != NULL && on_error != NULL)
        outcome = PyObject_CallMethod(
            run->boundary, "refuse_dump", "OOO", error, value, on_error);
    Py_XDECREF(on_error);
    Py_XDECREF(error);
    return outcome;
}

/* Whether a dump fits; -1 with an exception that is no `Exception`. */
static int dump_fits(const Run *run, PyObject *dump)
{
    const Shape *shape = (const Shape *)run->tool->parts[SCHEMA_SHAPE];
    Room room = WHOLE_ROOM;
    int fits = look(run->state, dump, shape, &room, MAX_DEPTH);
    if (fits < 0) clear_exception();
    return PyErr_Occurred() ? -1 : fits == 1;
}

/* Dump a value at once: a new reference to what fits, or NULL with or without an exception. */
static PyObject *dump_at_once(const Run *run, PyObject *value)
{
    PyObject *layout = run->tool->parts[LAYOUT];
    Room room = WHOLE_ROOM;
    PyObject *dump = layout == NULL ? NULL : dump_by(value, layout, &room, MAX_DEPTH);
    if (dump == NULL) clear_exception();
    else if (dump_fits(run, dump) != 1) Py_CLEAR(dump);
    return dump;
}

/* Have a value dumped by its library, and make the outcome. */
static PyObject *finish_declared(const Run *run, PyObject *value, PyObject *data)
{
    PyObject **parts = run->tool->parts, *outcome;
    PyObject *dump = PyObject_CallFunctionObjArgs(parts[DUMP], value, NULL);
    if (dump == NULL) return refuse_dump(run, value);
    int fits = dump_fits(run, dump);
    if (fits < 0) outcome = fail(run, "done");
    else if (fits == 0) outcome = check_dump(run, value, dump, data);
    else outcome = make_outcome(
        run->state, value, dump, data, parts[OPTIONS], run->coercions);
    Py_DECREF(dump);
    return outcome;
}

/* Make the outcome of a result of the declared type; NULL with or without an error of others. */
static PyObject *outcome_of_declared(const Run *run, PyObject *result, PyObject *data)
{
    State *state = run->state;
    PyObject **parts = run->tool->parts, *outcome = NULL, *value = Py_NewRef(result);
    PyObject *dump = dump_at_once(run, result);
    if (dump == NULL) {
        Py_DECREF(value);
        if (PyErr_Occurred()) return NULL;
        value = declared_value(state, parts, result);
        if (value == NULL) return clear_exception(), NULL;
        if (value != result) dump = dump_at_once(run, value);
    }
    if (dump != NULL)
        outcome = make_outcome(state, value, dump, data, parts[OPTIONS], run->coercions);
    else if (!PyErr_Occurred())
        outcome = finish_declared(run, value, data);
    Py_XDECREF(dump);
    Py_DECREF(value);
    return outcome;
}

static PyObject *outcome_of(const Run *run, PyObject *result, PyObject *data)
{
    State *state = run->state;
    if (run->tool->parts[DUMP] != NULL) {
        PyObject *outcome = outcome_of_declared(run, result, data);
        if (outcome != NULL) return outcome;
        if (PyErr_Occurred()) return fail(run, "done");
    }
    if (run->tool->finishes) {
        PyObject *options = run->tool->parts[OPTIONS];
        PyObject *outcome = finish_plain(state, result, data, options, run->coercions);
        if (outcome == NULL) return fail(run, "done");
        if (outcome != Py_None) return outcome;
        Py_DECREF(outcome);
    }
    return check_result(run, result, data);
}

/* Call the handler with what was constructed. Recorded is what came: a handler can change its own. */
static PyObject *outcome_of_call(const Run *run, PyObject *value, PyObject *recorded)
{
    bool binds = run->tool->parts[BIND] != NULL;
    PyObject *bound = binds ? bind(run, value) : NULL;
    if (binds && bound == NULL) return fail(run, "none");
    PyObject *result = call_function(run, value, bound);
    Py_XDECREF(bound);
    if (result == NULL) return fail(run, "unknown");
    PyObject *outcome = outcome_of(run, result, recorded);
    Py_DECREF(result);
    return outcome;
}

/* Construct the object of data that fit, and go on with that; `decoded` is all that was sent. */
static PyObject *outcome_of_data(
    const Run *run, PyObject *data, PyObject *sent, PyObject *decoded)
{
    RightCall *call = run->tool;
    PyObject *outcome, *value = construct(call, data);
    if (call->accepts) value = as_pair(value);
    if (value == NULL) return refuse(run, data, decoded);
    if (call->accepts)
        outcome = outcome_of_call(run, PyTuple_GetItem(value, 0), PyTuple_GetItem(value, 1));
    else
        outcome = outcome_of_call(run, value, sent);
    Py_DECREF(value);
    return outcome;
}

/* Drop the keys that are ignored of data that fit then, and go on with the rest. */
static PyObject *outcome_of_rest(Run *run, PyObject *data)
{
    PyObject **parts = run->tool->parts, *paths, *outcome = NULL;
    PyObject *rest = drop_keys(run->state, data, (const Shape *)parts[SHAPE], &paths);
    Room copied = WHOLE_ROOM;
    if (rest == NULL) {
        clear_exception();
        return PyErr_Occurred() ? fail(run, "none") : run_whole(run);
    }
    PyObject *coercions = PyObject_CallFunctionObjArgs(parts[RECORD_DROPPED], paths, NULL);
    PyObject *recorded = run->tool->copies ? Py_NewRef(rest) : copy_unseen(rest, &copied, MAX_DEPTH);
    if (coercions != NULL && recorded != NULL) {
        run->coercions = coercions;
        outcome = outcome_of_data(run, rest, recorded, data);
    } else {
        outcome = fail(run, "none");
    }
    Py_XDECREF(recorded);
    Py_XDECREF(coercions);
    Py_DECREF(paths);
    Py_DECREF(rest);
    return outcome;
}

static PyObject *run_call(
    RightCall *call, PyObject *const *args, PyObject *on_error, PyObject *function)
{
    State *state = PyType_GetModuleState(Py_TYPE((PyObject *)call));
    Run run = {state, call, args[0], args[1], args[2], on_error, state->nothing, function};
    PyObject *outcome, *sent = sent_of(run.raw);
    Py_ssize_t dropped = 0;
    PyObject *data = sent == NULL ? NULL : fitting(state, call, sent, &dropped);
    if (data == NULL) {
        Py_XDECREF(sent);
        return PyErr_Occurred() ? fail(&run, "none") : run_whole(&run);
    }
    outcome = dropped > 0 ? outcome_of_rest(&run, data) : outcome_of_data(&run, data, sent, data);
    Py_DECREF(data);
    Py_DECREF(sent);
    return outcome;
}

static PyObject *call_run(RightCall *call, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3 && count != 4)
        return PyErr_Format(PyExc_TypeError, "run takes a boundary, raw, context and on_error");
    return run_call(call, args, count == 4 ? args[3] : NULL, NULL);
}

static PyObject *call_run_with(RightCall *call, PyObject *const *args, Py_ssize_t count)
{
    if (count != 4)
        return PyErr_Format(PyExc_TypeError, "run_with takes a boundary, raw, context and function");
    return run_call(call, args, NULL, args[3]);
}

static PyObject *call_finish(RightCall *call, PyObject *const *args, Py_ssize_t count)
{
    if (count != 5)
        return PyErr_Format(
            PyExc_TypeError, "finish takes a boundary, result, data, coercions and on_error");
    State *state = PyType_GetModuleState(Py_TYPE((PyObject *)call));
    Run run = {state, call, args[0], NULL, NULL, args[4], args[3], NULL};
    return outcome_of(&run, args[1], args[2]);
}

/* Make the same of another function, such as the method of another object. */
static PyObject *call_bind(RightCall *call, PyObject *function)
{
    RightCall *bound = (RightCall *)PyType_GenericAlloc(Py_TYPE((PyObject *)call), 0);
    if (bound == NULL) return NULL;
    for (int place = 0; place < PARTS; place++)
        bound->parts[place] = Py_XNewRef(place == FUNCTION ? function : call->parts[place]);
    bound->copies = call->copies;
    bound->accepts = call->accepts;
    bound->spreads = call->spreads;
    bound->finishes = call->finishes;
    return (PyObject *)bound;
}

static PyMethodDef call_methods[] = {
    {"bind", (PyCFunction)call_bind, METH_O, "Make the same of another function."},
    {"finish", (PyCFunction)(void (*)(void))call_finish, METH_FASTCALL,
     "Make the outcome of a result: boundary, result, data, coercions and on_error."},
    {"run", (PyCFunction)(void (*)(void))call_run, METH_FASTCALL,
     "Run a call: boundary, raw arguments, context and what turns exceptions into outcomes."},
    {"run_with", (PyCFunction)(void (*)(void))call_run_with, METH_FASTCALL,
     "Run a call of another function: boundary, raw arguments, context and the function."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot call_slots[] = {
    {Py_tp_doc, "The calls of one tool whose handler runs in place."},
    {Py_tp_new, call_new},
    {Py_tp_dealloc, call_dealloc},
    {Py_tp_traverse, call_traverse},
    {Py_tp_clear, call_clear},
    {Py_tp_methods, call_methods},
    {0, NULL},
};

PyType_Spec call_spec = {
    .name = "toolhaft._native.RightCall",
    .basicsize = sizeof(RightCall),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = call_slots,
};
