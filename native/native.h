/* The primitives of a right call in C, and their twins in src/toolhaft, which say what they do:

     look.c, scan.c, shape.c   Shape.fits, Shape.fits_text         schema/shape.py, Shape
     texts.c                   the patterns of dates               schema/format_patterns.py
     dump.c                    dump_by                             vendors/adapter.py, Adapter.dump
     write.c                   write_plain                         jsonio/jsontext.py, write
     write.c                   write_canonical                     jsonio/canonical.py, canonical
     copy.c                    copy_plain, plain_copy              jsonio/plaindata.py, plain_copy
     copy.c                    is_small                            jsonio/plaindata.py, is_small
     copy.c                    finish_plain, finish                call/outcome.py, finish
     drop.c                    drop_keys, Shape.drop               call/input.py, _drop_ignored
     call.c                    call_run                            call/boundary.py, run_whole_sync
     call.c                    fitting                             call/fast_path.py, validate
     call.c                    declared_value, finish_declared     call/results.py, check

   An `Exception` while data are looked at, or a result is, is forgotten: the whole way meets it
   again. All other exceptions become outcomes by the boundary's `to_outcome`. */

#ifndef TOOLHAFT_NATIVE_H
#define TOOLHAFT_NATIVE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

/* As in jsonio/plaindata.py. */
enum { MAX_DEPTH = 32, MAX_VALUES = 1 << 19, FEW_REFERENTS = 1 << 16, MAX_DIGITS = 4300 };

/* How many values a look may still see, each counted wherever it stands, the steps that it took, and
   those that it may still take along branches of unions that do not fit. */
typedef struct {
    Py_ssize_t values, steps, spare;
    /* How many unions around mix integers and other numbers, so that no whole float is looked at,
       or none of 2^53 and more. */
    int mixed, mixed_if_large;
    /* How many undeclared keys were seen that are dropped, where that may be, and how many values
       may be, or hold, floats that stand for integers. */
    bool may_drop;
    Py_ssize_t dropped, whole_floats;
} Room;
enum { SPARE_STEPS = 1 << 21, STEPS_OF_VERDICT = 32 };
#define WHOLE_ROOM (Room){MAX_VALUES, 0, SPARE_STEPS, 0, 0, false, 0, 0}

/* The types of JSON, as bits. "number" in a schema takes both integers and numbers. */
enum {
    NOTHING = 1, BOOLEAN = 2, INTEGER = 4, NUMBER = 8, STRING = 16, ARRAY = 32, OBJECT = 64,
    WHOLE_FLOAT = 128            /* a float may stand for an integer */
};

/* What the text of a temporal format is held to, as its pattern says. */
enum { DATE = 1, DATE_TIME = 2 };

/* The outcome of a call: the value, what is shown of it, arguments, options, coercions, call id. */
enum { OUTCOME_FIELDS = 6 };
typedef struct {
    PyObject_HEAD
    PyObject *fields[OUTCOME_FIELDS];
} Outcome;

/* The state of the module in one interpreter. */
typedef struct {
    PyObject *too_large;         /* the least integer that is too large, and its negative */
    PyObject *too_small;
    PyObject *nothing;           /* () */
    PyObject *shape;             /* the type of shapes */
    PyObject *fields;            /* the type that has the fields of outcomes */
    PyObject *outcome;           /* the class that `finish` makes, once `set_outcome` gave it */
} State;

typedef struct Shape Shape;

typedef struct {
    PyObject *text;
    const char *utf8;            /* of `text`, which owns it */
    Py_ssize_t size;
} Word;

typedef struct {
    Word name;
    bool is_plain;               /* whether it stands in JSON as it is */
    Shape *shape;                /* NULL: anything plain */
    bool required;
} Member;

/* What may stand at one place of data. */
struct Shape {
    PyObject_HEAD
    int kinds;                   /* the types */
    double low, high;            /* of numbers, both included */
    Py_ssize_t shortest, longest;/* of text, in characters */
    Py_ssize_t fewest, most;     /* of items */
    Word *words;                 /* NULL, or the only texts, sorted by their bytes */
    Py_ssize_t choices;          /* how many */
    int format;                  /* DATE, DATE_TIME or 0 */
    PyObject *verdict;           /* NULL, or what else decides, as a callable */
    PyObject *branches;          /* NULL, or a tuple of shapes of which one must fit */
    PyObject *recurring;         /* NULL, or of the outermost shape: a tuple of those that stand
                                    for a shape that holds them */
    bool mixed;                  /* whether an integer of one may be any number in another */
    bool mixed_if_large;         /* the same, where whole floats stand for integers */
    Shape *items;                /* NULL: anything plain */
    Shape *rest;                 /* of members that are not declared; NULL: anything plain */
    bool closed;                 /* whether there may be none of these */
    bool drops;                  /* whether these are dropped, and `closed` without them */
    Member *members;
    const Member **sorted;       /* the same, by their names */
    Py_ssize_t declared, required;
};

/* Each gives 1 for yes, 0 for no, -1 with an exception. A `ValueError` means no, too. */
int look(State *state, PyObject *value, const Shape *shape, Room *room, int depth);
int look_at_text(PyObject *text, const Shape *shape);
int ask(const Shape *shape, PyObject *value);
/* `dropped` counts the undeclared keys that have to be dropped first; NULL if there may be none. */
int scan(PyObject *text, const Shape *shape, Py_ssize_t *dropped);

/* Data that fit once undeclared keys are dropped: a copy without them, and a list of their paths.
   NULL with or without an exception for other data. */
PyObject *drop_keys(State *state, PyObject *data, const Shape *shape, PyObject **paths);

/* Whether a shape says more of text than how long it is, and whether that fits. */
bool is_choosy(const Shape *shape);
int look_at_bytes(const char *text, Py_ssize_t size, const Shape *shape);

/* Skip the bytes of a JSON string that stand for themselves. */
const char *skip_plain(const char *at, const char *end);
bool has_format(const char *text, Py_ssize_t size, int format);

/* Sort the members of a shape by their names; -1 without memory. */
int sort_members(Shape *shape);
/* The place of a declared member, which most follow each other in their order; -1 for others. */
Py_ssize_t place_of(const Shape *shape, const char *name, Py_ssize_t size, Py_ssize_t expected);

/* A copy of plain data; NULL without an exception for other data. */
PyObject *copy_plain(State *state, PyObject *value, Room *room, int depth);
/* The same of a dict or a list that is looked at next: only what it holds its items in is known. */
PyObject *copy_unseen(PyObject *value, Room *room, int depth);

/* The dump of an object; NULL with or without an exception where its library has to make it. */
PyObject *dump_by(PyObject *value, PyObject *layout, Room *room, int depth);

/* Free an object of one of our types, once `clear` has dropped what it holds. */
void free_object(PyObject *object, inquiry clear);

int kind_of(PyObject *value);
int is_small_enough(State *state, PyObject *integer);
PyObject *to_verdict(int answer);
PyObject *finish(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *set_outcome(PyObject *module, PyObject *outcome);
PyObject *write_plain(PyObject *module, PyObject *data);
PyObject *write_canonical(PyObject *module, PyObject *data);
PyObject *is_small(PyObject *module, PyObject *value);

PyObject *make_outcome(
    State *state, PyObject *value, PyObject *shown, PyObject *arguments, PyObject *options,
    PyObject *coercions);
PyObject *finish_plain(
    State *state, PyObject *result, PyObject *arguments, PyObject *options, PyObject *coercions);

extern PyType_Spec shape_spec, call_spec, fields_spec;

#endif
