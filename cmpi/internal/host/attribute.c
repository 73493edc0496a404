//go:build linux && (amd64 || arm64)

/* Attributes and info objects. */
#define _GNU_SOURCE
#include <stdio.h>

#include "state.h"

#define KEY 0x65000000

static fc_keyval *keyval_of(fc_rank *r, int key) { return fc_table_get(&r->mpi->keyvals, key, KEY); }

/* The key, if it is one of the kind of object that a handle stands for. */
static fc_keyval *keyval_for(fc_rank *r, int key, int handle) {
  fc_keyval *k = keyval_of(r, key);
  return k && k->kind == handle >> 28 ? k : 0;
}

static void keyval_use(fc_rank *r, int key, int by) {
  fc_keyval *k = keyval_of(r, key);
  if (!k) return;
  k->users += by;
  if (k->users > 0 || !k->freed) return;
  fc_table_drop(&r->mpi->keyvals, key - KEY);
  free(k);
}

/* The language that the program calls in; by itself it is C. */
static int language(fc_rank *r) {
  int l = r->mpi->language;
  r->mpi->language = FC_IN_C;
  return l;
}

int fc_keyval_new(fc_rank *r, int kind, void *copy, void *remove, int *key, void *extra) {
  fc_keyval *k = calloc(1, sizeof *k);
  k->copy = (int (*)(int, int, void *, void *, void *, int *))copy;
  k->remove = (int (*)(int, int, void *, void *))remove;
  k->extra = extra, k->kind = kind, k->language = language(r);
  *key = KEY + fc_table_add(&r->mpi->keyvals, k);
  return MPI_SUCCESS;
}

int fc_keyval_free(fc_rank *r, int kind, int *key) {
  fc_keyval *k = keyval_for(r, *key, kind << 28);
  REQUIRE(k, MPI_COMM_WORLD, MPI_ERR_KEYVAL, "0x%x is no attribute key", *key);
  k->freed = 1;
  keyval_use(r, *key, 0);
  *key = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

/* An attribute as C sees it: of an integer of Fortran the place. */
static void *as_pointer(fc_attribute *a) { return a->language == FC_IN_C ? a->value : &a->value; }

/* copy_of asks the program for the copy of an attribute. */
static int copy_of(fc_keyval *k, int handle, fc_attribute *a, fc_attribute *copy, int *wanted) {
  int code = MPI_SUCCESS;
  if (k->language == FC_IN_C) {
    if (k->copy == (void *)1) return *wanted = 1, MPI_SUCCESS;
    if (!k->copy) return MPI_SUCCESS;
    code = k->copy(handle, a->key, k->extra, as_pointer(a), &copy->value, wanted);
  } else if (k->language == FC_IN_FORTRAN) {
    MPI_Aint extra = (MPI_Aint)k->extra, in = (MPI_Aint)a->value, out = in;
    ((void (*)(int *, int *, MPI_Aint *, MPI_Aint *, MPI_Aint *, int *, int *))(void *)k->copy)(&handle, &a->key, &extra, &in, &out, wanted, &code);
    copy->value = (void *)out;
  } else {
    int extra = (MPI_Aint)k->extra, in = (MPI_Aint)a->value, out = in;
    ((void (*)(int *, int *, int *, int *, int *, int *, int *))(void *)k->copy)(&handle, &a->key, &extra, &in, &out, wanted, &code);
    copy->value = (void *)(MPI_Aint)out;
  }
  copy->language = k->language;
  return code;
}

/* removed tells the program that an attribute goes. */
static int removed(fc_keyval *k, int handle, fc_attribute *a) {
  int code = MPI_SUCCESS;
  if (!k || !k->remove) return code;
  if (k->language == FC_IN_C) return k->remove(handle, a->key, as_pointer(a), k->extra);
  if (k->language == FC_IN_FORTRAN) {
    MPI_Aint extra = (MPI_Aint)k->extra, value = (MPI_Aint)a->value;
    ((void (*)(int *, int *, MPI_Aint *, MPI_Aint *, int *))(void *)k->remove)(&handle, &a->key, &value, &extra, &code);
  } else {
    int extra = (MPI_Aint)k->extra, value = (MPI_Aint)a->value;
    ((void (*)(int *, int *, int *, int *, int *))(void *)k->remove)(&handle, &a->key, &value, &extra, &code);
  }
  return code;
}

/* fc_attributes_copy copies those attributes whose functions want it. */
int fc_attributes_copy(fc_rank *r, int handle, fc_attribute *from, fc_attribute **to) {
  for (fc_attribute *a = from; a; a = a->next) {
    fc_attribute new = {.key = a->key, .language = a->language, .value = a->value};
    int wanted = 0, code = copy_of(keyval_of(r, a->key), handle, a, &new, &wanted);
    if (code) return code;
    if (!wanted) continue;
    fc_attribute *copy = malloc(sizeof *copy);
    *copy = new;
    keyval_use(r, a->key, 1);
    fc_attribute **end = to;
    while (*end) end = &(*end)->next;
    *end = copy;
  }
  return MPI_SUCCESS;
}

static int attribute_drop(fc_rank *r, int handle, fc_attribute **link) {
  fc_attribute *a = *link;
  int code = removed(keyval_of(r, a->key), handle, a);
  if (code) return code;
  *link = a->next;
  keyval_use(r, a->key, -1);
  free(a);
  return MPI_SUCCESS;
}

/* fc_attributes_free deletes all attributes, the latest first. */
int fc_attributes_free(fc_rank *r, int handle, fc_attribute **list) {
  int code = MPI_SUCCESS;
  while (*list && !code) code = attribute_drop(r, handle, list);
  return code;
}

int fc_attribute_set(fc_rank *r, int handle, fc_attribute **list, int key, void *value) {
  fc_keyval *k = keyval_for(r, key, handle);
  int by = language(r);
  REQUIRE(k, MPI_COMM_WORLD, MPI_ERR_KEYVAL, "0x%x is no attribute key of such objects", key);
  for (fc_attribute *a = *list; a; a = a->next)
    if (a->key == key) {
      int code = removed(k, handle, a);
      if (!code) a->value = value, a->language = by;
      return code;
    }
  fc_attribute *a = malloc(sizeof *a);
  *a = (fc_attribute){key, by, value, *list};
  *list = a;
  keyval_use(r, key, 1);
  return MPI_SUCCESS;
}

int fc_attribute_get(fc_rank *r, int handle, fc_attribute *list, int key, void *value, int *flag) {
  REQUIRE(keyval_for(r, key, handle), MPI_COMM_WORLD, MPI_ERR_KEYVAL, "0x%x is no attribute key of such objects", key);
  *flag = 0;
  int by = language(r);
  for (fc_attribute *a = list; a; a = a->next)
    if (a->key == key) *flag = 1, *(void **)value = by == FC_IN_C ? as_pointer(a) : a->value;
  return MPI_SUCCESS;
}

int fc_attribute_delete(fc_rank *r, int handle, fc_attribute **list, int key) {
  REQUIRE(keyval_for(r, key, handle), MPI_COMM_WORLD, MPI_ERR_KEYVAL, "0x%x is no attribute key of such objects", key);
  for (; *list; list = &(*list)->next)
    if ((*list)->key == key) return attribute_drop(r, handle, list);
  return fc_error(r, MPI_COMM_WORLD, MPI_ERR_KEYVAL, "there is no such attribute");
}

/* What a program may ask of the library. */
static int predefined(fc_rank *r, int key, void *value, int *flag) {
  static int tag_ub = 0x3fffffff, none = MPI_PROC_NULL, any = MPI_ANY_SOURCE, global = 1, number = 0;
  static __thread int universe;
  int *p = 0;
  switch (key) {
    case MPI_TAG_UB: p = &tag_ub; break;
    case MPI_HOST: p = &none; break;
    case MPI_IO: p = &any; break;
    case MPI_WTIME_IS_GLOBAL: p = &global; break;
    case MPI_LASTUSEDCODE: p = &r->mpi->last_code; break;
    case MPI_APPNUM: p = &number; break;
    case MPI_UNIVERSE_SIZE: universe = r->size, p = &universe; break;
    default: return 0;
  }
  *(int **)value = p, *flag = 1;
  return 1;
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *del, int *keyval, void *extra) {
  ENTER(MPI_Comm_create_keyval);
  TOLD(keyval);
  return fc_keyval_new(r, MPI_COMM_NULL >> 28, (void *)copy, (void *)del, keyval, extra);
}
int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *del, int *keyval, void *extra) {
  ENTER(MPI_Keyval_create);
  TOLD(keyval);
  return fc_keyval_new(r, MPI_COMM_NULL >> 28, (void *)copy, (void *)del, keyval, extra);
}
int MPI_Comm_free_keyval(int *keyval) {
  ENTER(MPI_Comm_free_keyval);
  TOLD(keyval);
  return fc_keyval_free(r, MPI_COMM_NULL >> 28, keyval);
}
int MPI_Keyval_free(int *keyval) { return MPI_Comm_free_keyval(keyval); }
int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value) {
  ENTER(MPI_Comm_set_attr);
  COMM(c, comm);
  int code = fc_attribute_set(r, comm, &c->attributes, keyval, value);
  return code ? fc_error(r, comm, code, "the attribute could not be replaced") : code;
}
int MPI_Attr_put(MPI_Comm comm, int keyval, void *value) { return MPI_Comm_set_attr(comm, keyval, value); }
int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag) {
  ENTER(MPI_Comm_get_attr);
  TOLD(flag);
  COMM(c, comm);
  if (predefined(r, keyval, value, flag)) return MPI_SUCCESS;
  return fc_attribute_get(r, comm, c->attributes, keyval, value, flag);
}
int MPI_Attr_get(MPI_Comm comm, int keyval, void *value, int *flag) { return MPI_Comm_get_attr(comm, keyval, value, flag); }
int MPI_Comm_delete_attr(MPI_Comm comm, int keyval) {
  ENTER(MPI_Comm_delete_attr);
  COMM(c, comm);
  int code = fc_attribute_delete(r, comm, &c->attributes, keyval);
  return code ? fc_error(r, comm, code, "the attribute could not be deleted") : code;
}
int MPI_Attr_delete(MPI_Comm comm, int keyval) { return MPI_Comm_delete_attr(comm, keyval); }

/* Predefined types are shared by all ranks; their attributes are not. */
static fc_attribute **attributes_of(fc_rank *r, fc_type *t) { return t->basic ? &fc_basics_of(r)->attributes[t->basic] : &t->attributes; }

int MPI_Type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *del, int *keyval, void *extra) {
  ENTER(MPI_Type_create_keyval);
  TOLD(keyval);
  return fc_keyval_new(r, MPI_DATATYPE_NULL >> 28, (void *)copy, (void *)del, keyval, extra);
}
int MPI_Type_free_keyval(int *keyval) {
  ENTER(MPI_Type_free_keyval);
  TOLD(keyval);
  return fc_keyval_free(r, MPI_DATATYPE_NULL >> 28, keyval);
}
int MPI_Type_set_attr(MPI_Datatype type, int keyval, void *value) {
  ENTER(MPI_Type_set_attr);
  TYPE(t, type);
  return fc_attribute_set(r, type, attributes_of(r, t), keyval, value);
}
int MPI_Type_get_attr(MPI_Datatype type, int keyval, void *value, int *flag) {
  ENTER(MPI_Type_get_attr);
  TOLD(flag);
  TYPE(t, type);
  return fc_attribute_get(r, type, *attributes_of(r, t), keyval, value, flag);
}
int MPI_Type_delete_attr(MPI_Datatype type, int keyval) {
  ENTER(MPI_Type_delete_attr);
  TYPE(t, type);
  return fc_attribute_delete(r, type, attributes_of(r, t), keyval);
}

/* --- Info --- */

/* A rank's objects. The first, of the environment, is empty. It is made when the program first uses one. */
static fc_table *infos(fc_rank *r) {
  fc_table *t = &r->mpi->infos;
  if (!t->slots) fc_table_set(t, MPI_INFO_ENV - MPI_INFO_NULL, calloc(1, sizeof(fc_info)));
  return t;
}

#define INFO(i, info) \
  fc_info *i = fc_table_get(infos(r), info, MPI_INFO_NULL); \
  REQUIRE(i, MPI_COMM_WORLD, MPI_ERR_INFO, "%s", fc_bad_handle(info, MPI_INFO_NULL, "info object"))

static int lookup(const fc_info *i, const char *key) {
  for (int k = 0; k < i->n; k++)
    if (!strcmp(i->pairs[k].key, key)) return k;
  return -1;
}

int MPI_Info_create(MPI_Info *info) {
  ENTER(MPI_Info_create);
  TOLD(info);
  *info = MPI_INFO_NULL + fc_table_add(infos(r), calloc(1, sizeof(fc_info)));
  return MPI_SUCCESS;
}
int MPI_Info_set(MPI_Info info, const char *key, const char *value) {
  ENTER(MPI_Info_set);
  INFO(i, info);
  REQUIRE(key && *key && strlen(key) <= MPI_MAX_INFO_KEY, MPI_COMM_WORLD, MPI_ERR_INFO_KEY, "expected a key of 1 to %d letters", MPI_MAX_INFO_KEY);
  REQUIRE(value && strlen(value) <= MPI_MAX_INFO_VAL, MPI_COMM_WORLD, MPI_ERR_INFO_VALUE, "expected a value of at most %d letters", MPI_MAX_INFO_VAL);
  int k = lookup(i, key);
  if (k < 0) {
    k = i->n++;
    i->pairs = realloc(i->pairs, i->n * sizeof *i->pairs);
    i->pairs[k].key = strdup(key);
  } else {
    free(i->pairs[k].value);
  }
  i->pairs[k].value = strdup(value);
  return MPI_SUCCESS;
}
int MPI_Info_delete(MPI_Info info, const char *key) {
  ENTER(MPI_Info_delete);
  INFO(i, info);
  int k = lookup(i, key);
  REQUIRE(k >= 0, MPI_COMM_WORLD, MPI_ERR_INFO_NOKEY, "found no key '%s'", key);
  free(i->pairs[k].key), free(i->pairs[k].value);
  memmove(&i->pairs[k], &i->pairs[k + 1], (--i->n - k) * sizeof *i->pairs);
  return MPI_SUCCESS;
}
int MPI_Info_get(MPI_Info info, const char *key, int length, char *value, int *flag) {
  ENTER(MPI_Info_get);
  TOLD(flag);
  INFO(i, info);
  int k = lookup(i, key);
  *flag = k >= 0;
  if (*flag) snprintf(value, length + 1, "%s", i->pairs[k].value);
  return MPI_SUCCESS;
}
int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *length, int *flag) {
  ENTER(MPI_Info_get_valuelen);
  TOLD(length && flag);
  INFO(i, info);
  int k = lookup(i, key);
  *flag = k >= 0;
  if (*flag) *length = strlen(i->pairs[k].value);
  return MPI_SUCCESS;
}
int MPI_Info_get_nkeys(MPI_Info info, int *count) {
  ENTER(MPI_Info_get_nkeys);
  TOLD(count);
  INFO(i, info);
  *count = i->n;
  return MPI_SUCCESS;
}
int MPI_Info_get_nthkey(MPI_Info info, int n, char *key) {
  ENTER(MPI_Info_get_nthkey);
  INFO(i, info);
  REQUIRE(n >= 0 && n < i->n, MPI_COMM_WORLD, MPI_ERR_ARG, "found key number %d of %d", n, i->n);
  strcpy(key, i->pairs[n].key);
  return MPI_SUCCESS;
}
int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo) {
  ENTER(MPI_Info_dup);
  TOLD(newinfo);
  INFO(i, info);
  fc_info *copy = calloc(1, sizeof *copy);
  copy->n = i->n;
  copy->pairs = malloc((i->n + 1) * sizeof *copy->pairs);
  for (int k = 0; k < i->n; k++) copy->pairs[k].key = strdup(i->pairs[k].key), copy->pairs[k].value = strdup(i->pairs[k].value);
  *newinfo = MPI_INFO_NULL + fc_table_add(infos(r), copy);
  return MPI_SUCCESS;
}
int MPI_Info_free(MPI_Info *info) {
  ENTER(MPI_Info_free);
  TOLD(info);
  INFO(i, *info);
  for (int k = 0; k < i->n; k++) free(i->pairs[k].key), free(i->pairs[k].value);
  free(i->pairs), free(i);
  fc_table_drop(infos(r), *info - MPI_INFO_NULL);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}
int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  ENTER(MPI_Comm_set_info);
  COMM(c, comm);
  (void)c;
  return MPI_SUCCESS; /* hints; none are known */
}
int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info) { return MPI_Info_create(info); }
