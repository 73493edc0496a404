// Package control has the algorithms that control congestion in a network of lossy or pausing
// switches (package ethernet). An algorithm runs at the sender of a flow: it learns what became of
// the flow's packets, and determines how many bytes may be under way, and at which rate packets
// leave.
//
// Two algorithms are for networks of credits instead (Lossless). They are hooks and injectors of
// package fabric: switches mark packets or press back, and NICs pause between the packets of a
// flow.
//
// Each algorithm is in its own file, which registers it. The state of a flow is a few words of
// plain data, so that states can be saved, and many workers give one result.
package control
