// Package model declares the types in the interface of package node: the specification of a node,
// buffers, kinds of operations, protocols, and noise. Package node has aliases of them.
package model
