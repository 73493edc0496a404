// Package model declares the words of the interface of package node: the specification of a node,
// buffers, kinds of operations, protocols, and noise. Package node has aliases of them.
package model
