package libraries

import "strings"

// mpichRest returns the tree for all collectives that MPICH has: the rules of MPICH itself for the
// blocking ones, and rules of one or two algorithms for the others.
func mpichRest() (tree []branch) {
	for text := range strings.Lines(mpichRules) {
		name, rest, found := strings.Cut(strings.TrimSpace(text), " ")
		if !found {
			continue
		}
		list, _ := parseBranches(strings.Fields(rest))
		tree = append(tree, on("collective="+name, list...))
	}
	return tree
}

// parseBranches reads conditions, each followed by what is below it in parentheses, and algorithms.
func parseBranches(words []string) (list []branch, rest []string) {
	for len(words) > 0 && words[0] != ")" {
		word := words[0]
		words = words[1:]
		if len(words) == 0 || words[0] != "(" {
			name, parameters, _ := strings.Cut(word, "/")
			list = append(list, does(name, strings.FieldsFunc(parameters, func(r rune) bool { return r == '/' })...))
			continue
		}
		var below []branch
		below, words = parseBranches(words[1:])
		words = words[1:]
		list = append(list, on(word, below...))
	}
	return list, words
}

// mpichRules has a line for each collective of MPICH. Those with comm_type=intra have it first.
const mpichRules = `
bcast comm_type=intra ( comm_size<=7 ( Bcast_intra_binomial ) comm_size=any ( avg_msg_size<=12288 ( Bcast_intra_binomial ) avg_msg_size<=524288 ( comm_size=pow2 ( Bcast_intra_scatter_recursive_doubling_allgather ) comm_size=any ( Bcast_intra_scatter_ring_allgather ) ) avg_msg_size=any ( Bcast_intra_scatter_ring_allgather ) ) ) comm_type=inter ( Bcast_inter_remote_send_local_bcast )
allreduce comm_type=intra ( avg_msg_size<=8 ( Allreduce_intra_recursive_doubling ) avg_msg_size=any ( is_op_built_in=yes ( count<pow2 ( Allreduce_intra_recursive_doubling ) count=any ( Allreduce_intra_reduce_scatter_allgather ) ) is_op_built_in=no ( Allreduce_intra_recursive_doubling ) ) ) comm_type=inter ( Allreduce_inter_reduce_exchange_bcast )
allgather comm_type=intra ( comm_size=pow2 ( total_msg_size<=524287 ( Allgather_intra_recursive_doubling ) total_msg_size=any ( Allgather_intra_ring ) ) comm_size=any ( total_msg_size<=81919 ( Allgather_intra_brucks ) total_msg_size=any ( Allgather_intra_ring ) ) ) comm_type=inter ( Allgather_inter_local_gather_remote_bcast )
allgatherv comm_type=intra ( comm_size=pow2 ( total_msg_size<=524287 ( Allgatherv_intra_recursive_doubling ) total_msg_size=any ( Allgatherv_intra_ring ) ) comm_size=any ( total_msg_size<=81919 ( Allgatherv_intra_brucks ) total_msg_size=any ( Allgatherv_intra_ring ) ) ) comm_type=inter ( Allgatherv_inter_remote_gather_local_bcast )
reduce comm_type=intra ( avg_msg_size<=2048 ( Reduce_intra_binomial ) avg_msg_size=any ( is_op_built_in=yes ( count<pow2 ( Reduce_intra_binomial ) count=any ( Reduce_intra_reduce_scatter_gather ) ) is_op_built_in=no ( Reduce_intra_binomial ) ) ) comm_type=inter ( Reduce_inter_local_reduce_remote_send )
reduce_scatter comm_type=intra ( is_commutative=yes ( total_msg_size<=524287 ( Reduce_scatter_intra_recursive_halving ) total_msg_size=any ( Reduce_scatter_intra_pairwise ) ) is_commutative=no ( Reduce_scatter_intra_recursive_doubling ) ) comm_type=inter ( Reduce_scatter_inter_remote_reduce_local_scatter )
reduce_scatter_block comm_type=intra ( is_commutative=yes ( total_msg_size<=524287 ( Reduce_scatter_block_intra_recursive_halving ) total_msg_size=any ( Reduce_scatter_block_intra_pairwise ) ) is_commutative=no ( Reduce_scatter_block_intra_recursive_doubling ) ) comm_type=inter ( Reduce_scatter_block_inter_remote_reduce_local_scatter )
gather comm_type=intra ( Gather_intra_binomial ) comm_type=inter ( Gather_inter_linear )
scatter comm_type=intra ( Scatter_intra_binomial ) comm_type=inter ( Scatter_inter_linear )
gatherv Gatherv_allcomm_linear
scatterv Scatterv_allcomm_linear
scan comm_type=intra ( Scan_intra_recursive_doubling ) comm_type=inter ( Scan_intra_recursive_doubling )
exscan comm_type=intra ( Exscan_intra_recursive_doubling ) comm_type=inter ( Exscan_intra_recursive_doubling )
barrier comm_type=intra ( Barrier_intra_k_dissemination/k=2 ) comm_type=inter ( Barrier_inter_bcast )
alltoall comm_type=intra ( is_sendbuf_inplace=yes ( Alltoall_intra_pairwise_sendrecv_replace ) is_sendbuf_inplace=no ( avg_msg_size<=256 ( comm_size<=8 ( Alltoall_intra_scattered ) comm_size=any ( Alltoall_intra_brucks ) ) avg_msg_size<=32768 ( Alltoall_intra_scattered ) avg_msg_size=any ( Alltoall_intra_pairwise ) ) ) comm_type=inter ( Alltoall_inter_pairwise_exchange )
alltoallv comm_type=intra ( is_sendbuf_inplace=yes ( Alltoallv_intra_pairwise_sendrecv_replace ) is_sendbuf_inplace=no ( Alltoallv_intra_scattered ) ) comm_type=inter ( Alltoallv_inter_pairwise_exchange )
alltoallw comm_type=intra ( is_sendbuf_inplace=yes ( Alltoallw_intra_pairwise_sendrecv_replace ) is_sendbuf_inplace=no ( Alltoallw_intra_scattered ) ) comm_type=inter ( Alltoallw_inter_pairwise_exchange )
neighbor_allgather Neighbor_allgather_allcomm_nb
neighbor_allgatherv Neighbor_allgatherv_allcomm_nb
neighbor_alltoall Neighbor_alltoall_allcomm_nb
neighbor_alltoallv Neighbor_alltoallv_allcomm_nb
neighbor_alltoallw Neighbor_alltoallw_allcomm_nb
ibarrier comm_type=intra ( Ibarrier_intra_sched_recursive_doubling ) comm_type=inter ( Ibarrier_inter_sched_bcast )
iallreduce comm_type=intra ( Iallreduce_intra_sched_recursive_doubling ) comm_type=inter ( Iallreduce_inter_sched_remote_reduce_local_bcast )
iallgather comm_type=intra ( total_msg_size<=81919 ( Iallgather_intra_sched_brucks ) total_msg_size=any ( Iallgather_intra_sched_ring ) ) comm_type=inter ( Iallgather_inter_sched_local_gather_remote_bcast )
iallgatherv comm_type=intra ( total_msg_size<=81919 ( Iallgatherv_intra_sched_brucks ) total_msg_size=any ( Iallgatherv_intra_sched_ring ) ) comm_type=inter ( Iallgatherv_inter_sched_remote_gather_local_bcast )
ibcast comm_type=intra ( avg_msg_size<=12288 ( Ibcast_intra_sched_binomial ) avg_msg_size=any ( Ibcast_intra_sched_scatter_ring_allgather ) ) comm_type=inter ( Ibcast_inter_sched_flat )
ireduce comm_type=intra ( Ireduce_intra_sched_binomial ) comm_type=inter ( Ireduce_inter_sched_local_reduce_remote_send )
ireduce_scatter comm_type=intra ( is_commutative=yes ( Ireduce_scatter_intra_sched_pairwise ) is_commutative=no ( Ireduce_scatter_intra_sched_recursive_doubling ) ) comm_type=inter ( Ireduce_scatter_inter_sched_remote_reduce_local_scatterv )
ireduce_scatter_block comm_type=intra ( is_commutative=yes ( Ireduce_scatter_block_intra_sched_pairwise ) is_commutative=no ( Ireduce_scatter_block_intra_sched_recursive_doubling ) ) comm_type=inter ( Ireduce_scatter_block_inter_sched_remote_reduce_local_scatterv )
igather comm_type=intra ( Igather_intra_sched_binomial ) comm_type=inter ( Igather_inter_sched_long )
iscatter comm_type=intra ( Iscatter_intra_sched_binomial ) comm_type=inter ( Iscatter_inter_sched_linear )
igatherv Igatherv_allcomm_sched_linear
iscatterv Iscatterv_allcomm_sched_linear
iscan comm_type=intra ( Iscan_intra_sched_recursive_doubling ) comm_type=inter ( Iscan_intra_sched_recursive_doubling )
iexscan comm_type=intra ( Iexscan_intra_sched_recursive_doubling ) comm_type=inter ( Iexscan_intra_sched_recursive_doubling )
ialltoall comm_type=intra ( is_sendbuf_inplace=yes ( Ialltoall_intra_sched_inplace ) is_sendbuf_inplace=no ( Ialltoall_intra_sched_permuted_sendrecv ) ) comm_type=inter ( Ialltoall_inter_sched_pairwise_exchange )
ialltoallv comm_type=intra ( is_sendbuf_inplace=yes ( Ialltoallv_intra_sched_inplace ) is_sendbuf_inplace=no ( Ialltoallv_intra_sched_blocked ) ) comm_type=inter ( Ialltoallv_inter_sched_pairwise_exchange )
ialltoallw comm_type=intra ( is_sendbuf_inplace=yes ( Ialltoallw_intra_sched_inplace ) is_sendbuf_inplace=no ( Ialltoallw_intra_sched_blocked ) ) comm_type=inter ( Ialltoallw_inter_sched_pairwise_exchange )
ineighbor_allgather Ineighbor_allgather_allcomm_sched_linear
ineighbor_allgatherv Ineighbor_allgatherv_allcomm_sched_linear
ineighbor_alltoall Ineighbor_alltoall_allcomm_sched_linear
ineighbor_alltoallv Ineighbor_alltoallv_allcomm_sched_linear
ineighbor_alltoallw Ineighbor_alltoallw_allcomm_sched_linear
`
