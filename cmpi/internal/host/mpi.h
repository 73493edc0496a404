/* The C interface of MPI 3.1 for programs that run on Fabricast.
 *
 * Handles are integers whose upper bits tell what they stand for, so that Fortran
 * and C share them and a handle of the wrong kind is noticed. */
#ifndef FABRICAST_MPI_H
#define FABRICAST_MPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_VERSION 3
#define MPI_SUBVERSION 1
#define FABRICAST_MPI 1

typedef int MPI_Comm;
typedef int MPI_Group;
typedef int MPI_Datatype;
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Win;
typedef int MPI_Info;
typedef int MPI_Errhandler;
typedef int MPI_Message;
typedef int MPI_File;
typedef long MPI_Aint;
typedef long long MPI_Offset;
typedef long long MPI_Count;
typedef int MPI_Fint;

typedef struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int fabricast_cancelled;
  long long fabricast_bytes;
} MPI_Status;

typedef struct { MPI_Fint fabricast_words[6]; } MPI_F08_status;

#define MPI_STATUS_IGNORE ((MPI_Status *)1)
#define MPI_STATUSES_IGNORE ((MPI_Status *)1)
#define MPI_F_STATUS_IGNORE ((MPI_Fint *)1)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint *)1)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_ARGV_NULL ((char **)0)
#define MPI_ARGVS_NULL ((char ***)0)
#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)-1)
#define MPI_UNWEIGHTED ((int *)2)
#define MPI_WEIGHTS_EMPTY ((int *)3)

/* Null handles: the kind with nothing in it. */
#define MPI_COMM_NULL 0x10000000
#define MPI_GROUP_NULL 0x20000000
#define MPI_DATATYPE_NULL 0x30000000
#define MPI_OP_NULL 0x40000000
#define MPI_REQUEST_NULL 0x50000000
#define MPI_WIN_NULL 0x60000000
#define MPI_INFO_NULL 0x70000000
#define MPI_ERRHANDLER_NULL 0x08000000
#define MPI_MESSAGE_NULL 0x09000000
#define MPI_FILE_NULL 0x0a000000

#define MPI_MESSAGE_NO_PROC 0x09000001
#define MPI_COMM_WORLD 0x10000001
#define MPI_COMM_SELF 0x10000002
#define MPI_GROUP_EMPTY 0x20000001
#define MPI_INFO_ENV 0x70000001
#define MPI_ERRORS_ARE_FATAL 0x08000001
#define MPI_ERRORS_RETURN 0x08000002

/* Sizes and limits. */
#define MPI_MAX_PROCESSOR_NAME 128
#define MPI_MAX_ERROR_STRING 512
#define MPI_MAX_OBJECT_NAME 128
#define MPI_MAX_LIBRARY_VERSION_STRING 128
#define MPI_MAX_INFO_KEY 255
#define MPI_MAX_INFO_VAL 1024
#define MPI_MAX_PORT_NAME 256
#define MPI_MAX_DATAREP_STRING 128
#define MPI_BSEND_OVERHEAD 64

/* Numbers with a meaning. */
#define MPI_PROC_NULL (-1)
#define MPI_ANY_SOURCE (-2)
#define MPI_ROOT (-3)
#define MPI_ANY_TAG (-1)
#define MPI_UNDEFINED (-32766)
#define MPI_KEYVAL_INVALID 0

#define MPI_IDENT 0
#define MPI_CONGRUENT 1
#define MPI_SIMILAR 2
#define MPI_UNEQUAL 3

#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_FUNNELED 1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE 3

#define MPI_GRAPH 1
#define MPI_CART 2
#define MPI_DIST_GRAPH 3

#define MPI_COMM_TYPE_SHARED 1

#define MPI_COMBINER_NAMED 1
#define MPI_COMBINER_DUP 2
#define MPI_COMBINER_CONTIGUOUS 3
#define MPI_COMBINER_VECTOR 4
#define MPI_COMBINER_HVECTOR 5
#define MPI_COMBINER_INDEXED 6
#define MPI_COMBINER_HINDEXED 7
#define MPI_COMBINER_INDEXED_BLOCK 8
#define MPI_COMBINER_HINDEXED_BLOCK 9
#define MPI_COMBINER_STRUCT 10
#define MPI_COMBINER_SUBARRAY 11
#define MPI_COMBINER_DARRAY 12
#define MPI_COMBINER_F90_REAL 13
#define MPI_COMBINER_F90_COMPLEX 14
#define MPI_COMBINER_F90_INTEGER 15
#define MPI_COMBINER_RESIZED 16
#define MPI_COMBINER_HVECTOR_INTEGER 17
#define MPI_COMBINER_HINDEXED_INTEGER 18
#define MPI_COMBINER_STRUCT_INTEGER 19

#define MPI_TYPECLASS_REAL 1
#define MPI_TYPECLASS_INTEGER 2
#define MPI_TYPECLASS_COMPLEX 3

#define MPI_ORDER_C 56
#define MPI_ORDER_FORTRAN 57
#define MPI_DISTRIBUTE_BLOCK 121
#define MPI_DISTRIBUTE_CYCLIC 122
#define MPI_DISTRIBUTE_NONE 123
#define MPI_DISTRIBUTE_DFLT_DARG (-49767)

#define MPI_LOCK_EXCLUSIVE 234
#define MPI_LOCK_SHARED 235
#define MPI_MODE_NOCHECK 1024
#define MPI_MODE_NOSTORE 2048
#define MPI_MODE_NOPUT 4096
#define MPI_MODE_NOPRECEDE 8192
#define MPI_MODE_NOSUCCEED 16384

#define MPI_WIN_FLAVOR_CREATE 1
#define MPI_WIN_FLAVOR_ALLOCATE 2
#define MPI_WIN_FLAVOR_DYNAMIC 3
#define MPI_WIN_FLAVOR_SHARED 4
#define MPI_WIN_SEPARATE 1
#define MPI_WIN_UNIFIED 2

#define MPI_SEEK_SET 600
#define MPI_SEEK_CUR 602
#define MPI_SEEK_END 604
#define MPI_MODE_CREATE 1
#define MPI_MODE_RDONLY 2
#define MPI_MODE_WRONLY 4
#define MPI_MODE_RDWR 8
#define MPI_MODE_DELETE_ON_CLOSE 16
#define MPI_MODE_UNIQUE_OPEN 32
#define MPI_MODE_EXCL 64
#define MPI_MODE_APPEND 128
#define MPI_MODE_SEQUENTIAL 256
#define MPI_DISPLACEMENT_CURRENT (-54278278)

/* Keys of predefined attributes. */
#define MPI_TAG_UB 0x64000001
#define MPI_HOST 0x64000002
#define MPI_IO 0x64000003
#define MPI_WTIME_IS_GLOBAL 0x64000004
#define MPI_UNIVERSE_SIZE 0x64000005
#define MPI_LASTUSEDCODE 0x64000006
#define MPI_APPNUM 0x64000007
#define MPI_WIN_BASE 0x66000001
#define MPI_WIN_SIZE 0x66000002
#define MPI_WIN_DISP_UNIT 0x66000003
#define MPI_WIN_CREATE_FLAVOR 0x66000004
#define MPI_WIN_MODEL 0x66000005

/* Error classes. */
#define MPI_SUCCESS 0
#define MPI_ERR_BUFFER 1
#define MPI_ERR_COUNT 2
#define MPI_ERR_TYPE 3
#define MPI_ERR_TAG 4
#define MPI_ERR_COMM 5
#define MPI_ERR_RANK 6
#define MPI_ERR_REQUEST 7
#define MPI_ERR_ROOT 8
#define MPI_ERR_GROUP 9
#define MPI_ERR_OP 10
#define MPI_ERR_TOPOLOGY 11
#define MPI_ERR_DIMS 12
#define MPI_ERR_ARG 13
#define MPI_ERR_UNKNOWN 14
#define MPI_ERR_TRUNCATE 15
#define MPI_ERR_OTHER 16
#define MPI_ERR_INTERN 17
#define MPI_ERR_IN_STATUS 18
#define MPI_ERR_PENDING 19
#define MPI_ERR_ACCESS 20
#define MPI_ERR_AMODE 21
#define MPI_ERR_ASSERT 22
#define MPI_ERR_BAD_FILE 23
#define MPI_ERR_BASE 24
#define MPI_ERR_CONVERSION 25
#define MPI_ERR_DISP 26
#define MPI_ERR_DUP_DATAREP 27
#define MPI_ERR_FILE_EXISTS 28
#define MPI_ERR_FILE_IN_USE 29
#define MPI_ERR_FILE 30
#define MPI_ERR_INFO_KEY 31
#define MPI_ERR_INFO_NOKEY 32
#define MPI_ERR_INFO_VALUE 33
#define MPI_ERR_INFO 34
#define MPI_ERR_IO 35
#define MPI_ERR_KEYVAL 36
#define MPI_ERR_LOCKTYPE 37
#define MPI_ERR_NAME 38
#define MPI_ERR_NO_MEM 39
#define MPI_ERR_NOT_SAME 40
#define MPI_ERR_NO_SPACE 41
#define MPI_ERR_NO_SUCH_FILE 42
#define MPI_ERR_PORT 43
#define MPI_ERR_QUOTA 44
#define MPI_ERR_READ_ONLY 45
#define MPI_ERR_RMA_CONFLICT 46
#define MPI_ERR_RMA_SYNC 47
#define MPI_ERR_SERVICE 48
#define MPI_ERR_SIZE 49
#define MPI_ERR_SPAWN 50
#define MPI_ERR_UNSUPPORTED_DATAREP 51
#define MPI_ERR_UNSUPPORTED_OPERATION 52
#define MPI_ERR_WIN 53
#define MPI_ERR_RMA_RANGE 54
#define MPI_ERR_RMA_ATTACH 55
#define MPI_ERR_RMA_FLAVOR 56
#define MPI_ERR_RMA_SHARED 57
#define MPI_T_ERR_MEMORY 58
#define MPI_T_ERR_NOT_INITIALIZED 59
#define MPI_T_ERR_CANNOT_INIT 60
#define MPI_T_ERR_INVALID_INDEX 61
#define MPI_T_ERR_INVALID_HANDLE 62
#define MPI_T_ERR_OUT_OF_HANDLES 63
#define MPI_T_ERR_OUT_OF_SESSIONS 64
#define MPI_T_ERR_INVALID_SESSION 65
#define MPI_T_ERR_CVAR_SET_NOT_NOW 66
#define MPI_T_ERR_CVAR_SET_NEVER 67
#define MPI_T_ERR_PVAR_NO_STARTSTOP 68
#define MPI_T_ERR_PVAR_NO_WRITE 69
#define MPI_T_ERR_PVAR_NO_ATOMIC 70
#define MPI_T_ERR_INVALID_NAME 71
#define MPI_T_ERR_INVALID_ITEM 72
#define MPI_T_ERR_INVALID 73
#define MPI_ERR_LASTCODE 1023

/* Predefined datatypes. fabricast_types.h lists their C types. */
#define MPI_CHAR 0x30000001
#define MPI_SIGNED_CHAR 0x30000002
#define MPI_UNSIGNED_CHAR 0x30000003
#define MPI_BYTE 0x30000004
#define MPI_WCHAR 0x30000005
#define MPI_SHORT 0x30000006
#define MPI_UNSIGNED_SHORT 0x30000007
#define MPI_INT 0x30000008
#define MPI_UNSIGNED 0x30000009
#define MPI_LONG 0x3000000a
#define MPI_UNSIGNED_LONG 0x3000000b
#define MPI_LONG_LONG_INT 0x3000000c
#define MPI_LONG_LONG 0x30000041
#define MPI_UNSIGNED_LONG_LONG 0x3000000d
#define MPI_FLOAT 0x3000000e
#define MPI_DOUBLE 0x3000000f
#define MPI_LONG_DOUBLE 0x30000010
#define MPI_PACKED 0x30000011
#define MPI_INT8_T 0x30000012
#define MPI_INT16_T 0x30000013
#define MPI_INT32_T 0x30000014
#define MPI_INT64_T 0x30000015
#define MPI_UINT8_T 0x30000016
#define MPI_UINT16_T 0x30000017
#define MPI_UINT32_T 0x30000018
#define MPI_UINT64_T 0x30000019
#define MPI_C_BOOL 0x3000001a
#define MPI_C_COMPLEX 0x3000001b
#define MPI_C_FLOAT_COMPLEX 0x30000042
#define MPI_C_DOUBLE_COMPLEX 0x3000001c
#define MPI_C_LONG_DOUBLE_COMPLEX 0x3000001d
#define MPI_AINT 0x3000001e
#define MPI_OFFSET 0x3000001f
#define MPI_COUNT 0x30000020
#define MPI_FLOAT_INT 0x30000021
#define MPI_DOUBLE_INT 0x30000022
#define MPI_LONG_INT 0x30000023
#define MPI_SHORT_INT 0x30000024
#define MPI_2INT 0x30000025
#define MPI_LONG_DOUBLE_INT 0x30000026
#define MPI_CHARACTER 0x30000027
#define MPI_LOGICAL 0x30000028
#define MPI_INTEGER 0x30000029
#define MPI_INTEGER1 0x3000002a
#define MPI_INTEGER2 0x3000002b
#define MPI_INTEGER4 0x3000002c
#define MPI_INTEGER8 0x3000002d
#define MPI_REAL 0x3000002e
#define MPI_REAL4 0x3000002f
#define MPI_REAL8 0x30000030
#define MPI_REAL16 0x30000031
#define MPI_DOUBLE_PRECISION 0x30000032
#define MPI_COMPLEX 0x30000033
#define MPI_COMPLEX8 0x30000034
#define MPI_COMPLEX16 0x30000035
#define MPI_COMPLEX32 0x30000036
#define MPI_DOUBLE_COMPLEX 0x30000037
#define MPI_2INTEGER 0x30000038
#define MPI_2REAL 0x30000039
#define MPI_2DOUBLE_PRECISION 0x3000003a
/* There are none of these. */
#define MPI_INTEGER16 MPI_DATATYPE_NULL
#define MPI_REAL2 MPI_DATATYPE_NULL
#define MPI_COMPLEX4 MPI_DATATYPE_NULL
#define MPI_CXX_BOOL 0x3000003b
#define MPI_CXX_FLOAT_COMPLEX 0x3000003c
#define MPI_CXX_DOUBLE_COMPLEX 0x3000003d
#define MPI_CXX_LONG_DOUBLE_COMPLEX 0x3000003e
#define MPI_LB 0x3000003f
#define MPI_UB 0x30000040

/* Predefined operations. */
#define MPI_MAX 0x40000001
#define MPI_MIN 0x40000002
#define MPI_SUM 0x40000003
#define MPI_PROD 0x40000004
#define MPI_LAND 0x40000005
#define MPI_BAND 0x40000006
#define MPI_LOR 0x40000007
#define MPI_BOR 0x40000008
#define MPI_LXOR 0x40000009
#define MPI_BXOR 0x4000000a
#define MPI_MINLOC 0x4000000b
#define MPI_MAXLOC 0x4000000c
#define MPI_REPLACE 0x4000000d
#define MPI_NO_OP 0x4000000e

/* The tools' interface, which has no variables here. */
typedef struct fabricast_enum *MPI_T_enum;
typedef struct fabricast_control *MPI_T_cvar_handle;
typedef struct fabricast_counter *MPI_T_pvar_handle;
typedef struct fabricast_session *MPI_T_pvar_session;
#define MPI_T_ENUM_NULL ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_ALL_HANDLES ((MPI_T_pvar_handle)-1)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)
#define MPI_T_VERBOSITY_USER_BASIC 1
#define MPI_T_VERBOSITY_USER_DETAIL 2
#define MPI_T_VERBOSITY_USER_ALL 3
#define MPI_T_VERBOSITY_TUNER_BASIC 4
#define MPI_T_VERBOSITY_TUNER_DETAIL 5
#define MPI_T_VERBOSITY_TUNER_ALL 6
#define MPI_T_VERBOSITY_MPIDEV_BASIC 7
#define MPI_T_VERBOSITY_MPIDEV_DETAIL 8
#define MPI_T_VERBOSITY_MPIDEV_ALL 9
#define MPI_T_BIND_NO_OBJECT 0
#define MPI_T_BIND_MPI_COMM 1
#define MPI_T_BIND_MPI_DATATYPE 2
#define MPI_T_BIND_MPI_ERRHANDLER 3
#define MPI_T_BIND_MPI_FILE 4
#define MPI_T_BIND_MPI_GROUP 5
#define MPI_T_BIND_MPI_OP 6
#define MPI_T_BIND_MPI_REQUEST 7
#define MPI_T_BIND_MPI_WIN 8
#define MPI_T_BIND_MPI_MESSAGE 9
#define MPI_T_BIND_MPI_INFO 10
#define MPI_T_SCOPE_CONSTANT 0
#define MPI_T_SCOPE_READONLY 1
#define MPI_T_SCOPE_LOCAL 2
#define MPI_T_SCOPE_GROUP 3
#define MPI_T_SCOPE_GROUP_EQ 4
#define MPI_T_SCOPE_ALL 5
#define MPI_T_SCOPE_ALL_EQ 6
#define MPI_T_PVAR_CLASS_STATE 0
#define MPI_T_PVAR_CLASS_LEVEL 1
#define MPI_T_PVAR_CLASS_SIZE 2
#define MPI_T_PVAR_CLASS_PERCENTAGE 3
#define MPI_T_PVAR_CLASS_HIGHWATERMARK 4
#define MPI_T_PVAR_CLASS_LOWWATERMARK 5
#define MPI_T_PVAR_CLASS_COUNTER 6
#define MPI_T_PVAR_CLASS_AGGREGATE 7
#define MPI_T_PVAR_CLASS_TIMER 8
#define MPI_T_PVAR_CLASS_GENERIC 9

/* Functions that programs pass. */
typedef void MPI_User_function(void *in, void *inout, int *len, MPI_Datatype *type);
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void *, void *);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void *, void *, void *, int *);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void *, void *);
typedef int MPI_Win_copy_attr_function(MPI_Win, int, void *, void *, void *, int *);
typedef int MPI_Win_delete_attr_function(MPI_Win, int, void *, void *);
typedef int MPI_Copy_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Delete_function(MPI_Comm, int, void *, void *);
typedef void MPI_Comm_errhandler_function(MPI_Comm *, int *, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *, int *, ...);
typedef void MPI_File_errhandler_function(MPI_File *, int *, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef MPI_Comm_errhandler_function MPI_Handler_function;
typedef int MPI_Grequest_query_function(void *, MPI_Status *);
typedef int MPI_Grequest_free_function(void *);
typedef int MPI_Grequest_cancel_function(void *, int);
typedef int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint *, void *);
typedef int MPI_Datarep_conversion_function(void *, MPI_Datatype, int, void *, MPI_Offset, void *);

#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_COMM_DUP_FN ((MPI_Comm_copy_attr_function *)1)
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)
#define MPI_TYPE_DUP_FN ((MPI_Type_copy_attr_function *)1)
#define MPI_WIN_NULL_COPY_FN ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_NULL_DELETE_FN ((MPI_Win_delete_attr_function *)0)
#define MPI_WIN_DUP_FN ((MPI_Win_copy_attr_function *)1)
#define MPI_NULL_COPY_FN ((MPI_Copy_function *)0)
#define MPI_NULL_DELETE_FN ((MPI_Delete_function *)0)
#define MPI_DUP_FN ((MPI_Copy_function *)1)
#define MPI_CONVERSION_FN_NULL ((MPI_Datarep_conversion_function *)0)

#include "fabricast_mpi_functions.h"

#ifdef __cplusplus
}
#endif
#endif
