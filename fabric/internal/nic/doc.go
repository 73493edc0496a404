// Package nic simulates NICs and hosts: the transfer of messages from memory to the network and of
// packets from the network to memory, turns among messages, pauses between packets, and I/O buses
// that NICs share. It does not depend on the model of the routers that the NICs are connected to.
package nic
