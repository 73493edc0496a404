// Package ns3 reads flow files of the RDMA simulations on ns-3, such as those of HPCC
// (github.com/alibaba-edu/High-Precision-Congestion-Control, simulation/mix/flow.txt): the number of
// flows, and for each flow source, destination, priority, port, size and start.
package ns3
