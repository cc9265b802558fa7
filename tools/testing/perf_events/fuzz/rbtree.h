/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Red-black trees with the kernel's names, for tens of nodes: sorted, but not balanced.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_FUZZ_RBTREE_H
#define _TOOLS_TESTING_PERF_EVENTS_FUZZ_RBTREE_H

#include "fuzz.h"

/**
 * struct rb_node - a node; a node in no tree is its own parent
 * @parent: NULL at the root
 * @rb_left: earlier nodes
 * @rb_right: later nodes
 */
struct rb_node {
	struct rb_node	*parent, *rb_left, *rb_right;
};

struct rb_root {
	struct rb_node	*rb_node;
};

#define rb_entry(node, type, member)	container_of(node, type, member)
#define RB_CLEAR_NODE(node)		((node)->parent = (node))
#define RB_EMPTY_NODE(node)		((node)->parent == (node))

static inline void rb_link_node(struct rb_node *node, struct rb_node *parent,
				struct rb_node **link)
{
	*node = (struct rb_node){ .parent = parent };
	*link = node;
}

/* The tree is not balanced. */
static inline void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
}

static inline void rb_add(struct rb_node *node, struct rb_root *root,
			  bool (*before)(struct rb_node *a, const struct rb_node *b))
{
	struct rb_node **link = &root->rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = before(node, parent) ? &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(node, parent, link);
	rb_insert_color(node, root);
}

static inline struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *next = node->rb_right;

	if (next) {
		while (next->rb_left)
			next = next->rb_left;
		return next;
	}
	while (node->parent && node == node->parent->rb_right)
		node = node->parent;
	return node->parent;
}

/* Replace @old by @new, which may be NULL, below its parent. */
static inline void rb_put_below(struct rb_root *root, const struct rb_node *old,
				struct rb_node *new)
{
	if (!old->parent)
		root->rb_node = new;
	else if (old == old->parent->rb_left)
		old->parent->rb_left = new;
	else
		old->parent->rb_right = new;
	if (new)
		new->parent = old->parent;
}

static inline void rb_erase(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *next;

	if (!node->rb_left || !node->rb_right) {
		rb_put_below(root, node, node->rb_left ? node->rb_left : node->rb_right);
		return;
	}
	/* The next node has no left child, and is below this one. */
	next = rb_next(node);
	rb_put_below(root, next, next->rb_right);
	rb_put_below(root, node, next);
	next->rb_left = node->rb_left;
	next->rb_right = node->rb_right;
	next->rb_left->parent = next;
	if (next->rb_right)
		next->rb_right->parent = next;
}

static inline struct rb_node *rb_find_first(const void *key, const struct rb_root *root,
					    int (*cmp)(const void *key, const struct rb_node *node))
{
	struct rb_node *node = root->rb_node, *first = NULL;

	while (node) {
		int c = cmp(key, node);

		if (!c)
			first = node;
		node = c <= 0 ? node->rb_left : node->rb_right;
	}
	return first;
}

#endif /* _TOOLS_TESTING_PERF_EVENTS_FUZZ_RBTREE_H */
