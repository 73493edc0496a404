package fortran

import (
	"strings"
)

// keywords maps the C header's names of arguments to the standard's names.
var keywords = map[string]string{
	"type": "datatype", "requests": "array_of_requests", "statuses": "array_of_statuses",
	"indices":      "array_of_indices",
	"blocklengths": "array_of_blocklengths", "displacements": "array_of_displacements",
	"types": "array_of_types",
	"sizes": "array_of_sizes", "subsizes": "array_of_subsizes", "starts": "array_of_starts",
	"gsizes":   "array_of_gsizes",
	"distribs": "array_of_distribs", "dargs": "array_of_dargs", "psizes": "array_of_psizes",
	"length": "resultlen", "code": "errorcode", "class_": "errorclass", "assertion": "assert",
	"remain": "remain_dims",
	"value":  "attribute_val", "extra": "extra_state", "query": "query_fn", "free_": "free_fn",
	"cancel": "cancel_fn",
	"file":   "fh", "buffer_address": "buffer_addr",
}

// keywordsOf holds names that depend on the function, whose name is without MPI_.
var keywordsOf = map[string]map[string]string{
	"Type_get_envelope": {
		"integers":  "num_integers",
		"addresses": "num_addresses",
		"datatypes": "num_datatypes",
	},
	"Type_get_contents": {
		"integers":  "array_of_integers",
		"addresses": "array_of_addresses",
		"datatypes": "array_of_datatypes",
	},
	"Cart_shift":            {"displacement": "disp", "source": "rank_source", "dest": "rank_dest"},
	"Graph_neighbors_count": {"count": "nneighbors"},
	"Intercomm_merge":       {"newcomm": "newintracomm"}, "Intercomm_create": {"newcomm": "newintercomm"},
	"Aint_add":  {"displacement": "disp"},
	"Aint_diff": {"a": "addr1", "b": "addr2"},
	"Op_create": {"function": "user_fn"}, "Win_lock": {"type": "lock_type"},
	"Alloc_mem": {"base": "baseptr"}, "Win_allocate": {"base": "baseptr"},
	"Win_allocate_shared": {"base": "baseptr"}, "Win_shared_query": {"base": "baseptr"},
	"Info_get":          {"length": "valuelen"},
	"Info_get_valuelen": {"length": "valuelen"}, "Info_get_nkeys": {"count": "nkeys"},
	"Comm_create_errhandler": {"function": "comm_errhandler_fn"},
	"Win_create_errhandler":  {"function": "win_errhandler_fn"},
	"File_create_errhandler": {"function": "file_errhandler_fn"},
}

// oneSided holds the names of arguments of one-sided functions.
var oneSided = map[string]string{
	"origin": "origin_addr", "count": "origin_count", "type": "origin_datatype",
	"target": "target_rank", "disp": "target_disp", "target_type": "target_datatype",
	"result": "result_addr", "result_type": "result_datatype", "compare": "compare_addr",
}

// keyword returns the name that the MPI standard gives to the argument called name here. function is
// the name of the MPI function without MPI_. oneSidedCall says that it is a one-sided operation, some
// of whose arguments have other names.
func keyword(function, name string, oneSidedCall bool) string {
	if special, found := keywordsOf[function][name]; found {
		return special
	}
	object := strings.ToLower(strings.SplitN(function, "_", 2)[0])
	switch name {
	case "keyval":
		if object == "comm" || object == "type" || object == "win" {
			return object + "_keyval"
		}
	case "copy", "del":
		if object == "comm" || object == "type" || object == "win" {
			return object + map[string]string{"copy": "_copy_attr_fn", "del": "_delete_attr_fn"}[name]
		}
		return map[string]string{"copy": "copy_fn", "del": "delete_fn"}[name]
	case "name":
		if object == "comm" || object == "type" || object == "win" {
			return object + "_name"
		}
	}
	// Functions on a single element have one datatype for all.
	single := function == "Fetch_and_op" || function == "Compare_and_swap"
	if n, found := oneSided[name]; found && oneSidedCall && !(single && name == "type") {
		return n
	}
	if n, found := keywords[name]; found {
		return n
	}
	return name
}

// arrays lists the C names of arguments that are arrays of numbers or handles, except in
// Type_get_envelope.
var arrays = set(
	"requests statuses indices blocklengths displacements types sizes subsizes starts gsizes " +
		"distribs dargs psizes integers addresses " +
		"datatypes recvcounts displs sendcounts sdispls rdispls sendtypes recvtypes ranks ranks1 " +
		"ranks2 dims periods coords remain index edges neighbors sources degrees " +
		"destinations weights sourceweights destweights maxprocs errcodes infos",
)

// logicals lists the arguments that are logical in Fortran.
var logicals = set("flag reorder commute high remain periods weighted")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// isArray reports whether an argument is an array. An argument index is one only in graph
// functions, and maxprocs only for several programs.
func isArray(function, name string) bool {
	switch {
	case function == "Type_get_envelope":
		return false
	case name == "maxprocs":
		return function == "Comm_spawn_multiple"
	case name == "index":
		return strings.HasPrefix(function, "Graph")
	}
	return arrays[name]
}
