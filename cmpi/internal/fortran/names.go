package fortran

import (
	"strings"
)

// keywords are the standard's names of arguments, by those of the C header.
var keywords = map[string]string{
	"type": "datatype", "requests": "array_of_requests", "statuses": "array_of_statuses", "indices": "array_of_indices",
	"blocklengths": "array_of_blocklengths", "displacements": "array_of_displacements", "types": "array_of_types",
	"sizes": "array_of_sizes", "subsizes": "array_of_subsizes", "starts": "array_of_starts", "gsizes": "array_of_gsizes",
	"distribs": "array_of_distribs", "dargs": "array_of_dargs", "psizes": "array_of_psizes",
	"length": "resultlen", "code": "errorcode", "class_": "errorclass", "assertion": "assert", "remain": "remain_dims",
	"value": "attribute_val", "extra": "extra_state", "query": "query_fn", "free_": "free_fn", "cancel": "cancel_fn",
	"file": "fh", "buffer_address": "buffer_addr",
}

// keywordsOf are those that depend on the function, without MPI_.
var keywordsOf = map[string]map[string]string{
	"Type_get_envelope":     {"integers": "num_integers", "addresses": "num_addresses", "datatypes": "num_datatypes"},
	"Type_get_contents":     {"integers": "array_of_integers", "addresses": "array_of_addresses", "datatypes": "array_of_datatypes"},
	"Cart_shift":            {"displacement": "disp", "source": "rank_source", "dest": "rank_dest"},
	"Graph_neighbors_count": {"count": "nneighbors"}, "Intercomm_merge": {"newcomm": "newintracomm"}, "Intercomm_create": {"newcomm": "newintercomm"},
	"Aint_add": {"displacement": "disp"}, "Aint_diff": {"a": "addr1", "b": "addr2"}, "Op_create": {"function": "user_fn"}, "Win_lock": {"type": "lock_type"},
	"Alloc_mem": {"base": "baseptr"}, "Win_allocate": {"base": "baseptr"}, "Win_allocate_shared": {"base": "baseptr"}, "Win_shared_query": {"base": "baseptr"},
	"Info_get": {"length": "valuelen"}, "Info_get_valuelen": {"length": "valuelen"}, "Info_get_nkeys": {"count": "nkeys"},
	"Comm_create_errhandler": {"function": "comm_errhandler_fn"}, "Win_create_errhandler": {"function": "win_errhandler_fn"},
	"File_create_errhandler": {"function": "file_errhandler_fn"},
}

// oneSided are those of functions that reach into windows.
var oneSided = map[string]string{
	"origin": "origin_addr", "count": "origin_count", "type": "origin_datatype", "target": "target_rank", "disp": "target_disp", "target_type": "target_datatype",
	"result": "result_addr", "result_type": "result_datatype", "compare": "compare_addr",
}

// keyword is the standard's name of an argument; function has no MPI_.
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

// arrays are the arguments that are arrays of numbers or handles, by their C names; those of Type_get_envelope are not.
var arrays = set("requests statuses indices blocklengths displacements types sizes subsizes starts gsizes distribs dargs psizes integers addresses " +
	"datatypes recvcounts displs sendcounts sdispls rdispls sendtypes recvtypes ranks ranks1 ranks2 dims periods coords remain index edges neighbors sources degrees " +
	"destinations weights sourceweights destweights maxprocs errcodes infos")

// logicals are truth values.
var logicals = set("flag reorder commute high remain periods weighted")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// isArray tells whether an argument is an array; those called index are only in graphs, and there are several maxprocs only for several programs.
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
