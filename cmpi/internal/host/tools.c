//go:build linux && (amd64 || arm64)

/* The interface for tools: there are no control variables, performance variables and categories, and so none
 * can be found, whatever its index or name. */
#include "state.h"

static int opened(void) {
  fc_rank *r = fc_current();
  return r->tools > 0 ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED;
}

static int refuse(int code) { return opened() ? MPI_T_ERR_NOT_INITIALIZED : code; }

int MPI_T_init_thread(int required, int *provided) {
  ENTER_ANY_TIME(MPI_T_init_thread);
  r->tools++;
  *provided = required;
  return MPI_SUCCESS;
}
int MPI_T_finalize(void) {
  ENTER_ANY_TIME(MPI_T_finalize);
  if (!r->tools) return MPI_T_ERR_NOT_INITIALIZED;
  r->tools--;
  return MPI_SUCCESS;
}
int MPI_T_enum_get_info(MPI_T_enum type, int *number, char *name, int *length) {
  (void)type, (void)number, (void)name, (void)length;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_enum_get_item(MPI_T_enum type, int index, int *value, char *name, int *length) {
  (void)type, (void)index, (void)value, (void)name, (void)length;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_cvar_get_num(int *number) {
  *number = 0;
  return opened();
}
int MPI_T_cvar_get_info(int index, char *name, int *name_length, int *verbosity, MPI_Datatype *type, MPI_T_enum *enumtype, char *description, int *length, int *bind, int *scope) {
  (void)index, (void)name, (void)name_length, (void)verbosity, (void)type, (void)enumtype, (void)description, (void)length, (void)bind, (void)scope;
  return refuse(MPI_T_ERR_INVALID_INDEX);
}
int MPI_T_cvar_get_index(const char *name, int *index) {
  (void)name, (void)index;
  return refuse(MPI_T_ERR_INVALID_NAME);
}
int MPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count) {
  (void)index, (void)object, (void)handle, (void)count;
  return refuse(MPI_T_ERR_INVALID_INDEX);
}
int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle) {
  (void)handle;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf) {
  (void)handle, (void)buf;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf) {
  (void)handle, (void)buf;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_pvar_get_num(int *number) {
  *number = 0;
  return opened();
}
int MPI_T_pvar_get_info(int index, char *name, int *name_length, int *verbosity, int *var_class, MPI_Datatype *type, MPI_T_enum *enumtype, char *description, int *length, int *bind, int *readonly, int *continuous, int *atomic) {
  (void)index, (void)name, (void)name_length, (void)verbosity, (void)var_class, (void)type, (void)enumtype, (void)description, (void)length, (void)bind, (void)readonly, (void)continuous, (void)atomic;
  return refuse(MPI_T_ERR_INVALID_INDEX);
}
int MPI_T_pvar_get_index(const char *name, int var_class, int *index) {
  (void)name, (void)var_class, (void)index;
  return refuse(MPI_T_ERR_INVALID_NAME);
}
int MPI_T_pvar_session_create(MPI_T_pvar_session *session) {
  *session = (MPI_T_pvar_session)1;
  return opened();
}
int MPI_T_pvar_session_free(MPI_T_pvar_session *session) {
  *session = MPI_T_PVAR_SESSION_NULL;
  return opened();
}
int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int index, void *object, MPI_T_pvar_handle *handle, int *count) {
  (void)session, (void)index, (void)object, (void)handle, (void)count;
  return refuse(MPI_T_ERR_INVALID_INDEX);
}
int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle) {
  (void)session, (void)handle;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  (void)session, (void)handle;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  (void)session, (void)handle;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf) {
  (void)session, (void)handle, (void)buf;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf) {
  (void)session, (void)handle, (void)buf;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  (void)session, (void)handle;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf) {
  (void)session, (void)handle, (void)buf;
  return refuse(MPI_T_ERR_INVALID_HANDLE);
}
int MPI_T_category_get_num(int *number) {
  *number = 0;
  return opened();
}
int MPI_T_category_get_info(int index, char *name, int *name_length, char *description, int *length, int *cvars, int *pvars, int *categories) {
  (void)index, (void)name, (void)name_length, (void)description, (void)length, (void)cvars, (void)pvars, (void)categories;
  return refuse(MPI_T_ERR_INVALID_INDEX);
}
int MPI_T_category_get_index(const char *name, int *index) {
  (void)name, (void)index;
  return refuse(MPI_T_ERR_INVALID_NAME);
}
int MPI_T_category_get_cvars(int index, int length, int *indices) {
  (void)index, (void)length, (void)indices;
  return refuse(MPI_T_ERR_INVALID_INDEX);
}
int MPI_T_category_get_pvars(int index, int length, int *indices) {
  (void)index, (void)length, (void)indices;
  return refuse(MPI_T_ERR_INVALID_INDEX);
}
int MPI_T_category_get_categories(int index, int length, int *indices) {
  (void)index, (void)length, (void)indices;
  return refuse(MPI_T_ERR_INVALID_INDEX);
}
int MPI_T_category_changed(int *stamp) {
  *stamp = 0;
  return opened();
}
