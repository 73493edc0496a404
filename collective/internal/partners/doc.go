// Package partners says with whom a rank exchanges messages: on a ring, in a tree, and in a number of
// ranks that is reduced to a power of two. It is arithmetic and sends nothing.
package partners
