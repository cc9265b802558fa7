/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parser of address filters, and the computation of a filter's range in memory. This file
 * needs no kernel context: a program with a few functions of <linux/kernel.h> can include it.
 *
 *	filters	= { separator } [ filter { separator { separator } filter } ]
 *	filter	= action separator { separator } where
 *	action	= "filter" | "start" | "stop"
 *	where	= number [ "/" number ] [ "@" path ]
 *	separator = " " | "," | "\n"
 *
 * A number is decimal, octal (0...) or hexadecimal (0x...). The first number is an offset in
 * the file or, without a path, a kernel address. The second number is the length. Without a
 * length the filter is for a single address.
 */
#ifndef _KERNEL_EVENTS_ADDR_FILTER_PARSE_H
#define _KERNEL_EVENTS_ADDR_FILTER_PARSE_H

enum filter_action {
	FILTER_STOP,
	FILTER_START,
	FILTER_RANGE,
	FILTER_ACTIONS
};

/**
 * struct filter_spec - one filter of the text
 * @action: its action
 * @offset: offset in the file, or a kernel address
 * @size: in bytes, 0 for a single address
 * @path: path of the file, in the text; NULL for a kernel address
 */
struct filter_spec {
	enum filter_action	action;
	unsigned long		offset;
	unsigned long		size;
	char			*path;
};

/* Cut the next word off the text; NULL at its end. */
static inline char *filter_word(char **text)
{
	char *word;

	do {
		word = strsep(text, " ,\n");
	} while (word && !*word);
	return word;
}

/* Cut a number off the front of @word. */
static inline int filter_number(char **word, unsigned long *number)
{
	char *end = *word, follows;
	int err;

	if (!isdigit(*end))
		return -EINVAL;
	while (isalnum(*end))
		end++;
	follows = *end;
	*end = '\0';
	err = kstrtoul(*word, 0, number);
	*end = follows;
	*word = end;
	return err;
}

/* Parse "where" of the grammar above. A path may contain anything but separators. */
static inline int filter_where(char *word, struct filter_spec *spec)
{
	int err;

	spec->size = 0;
	spec->path = NULL;
	err = filter_number(&word, &spec->offset);
	if (!err && *word == '/') {
		word++;
		err = filter_number(&word, &spec->size);
	}
	if (err)
		return err;
	if (*word == '@' && word[1]) {
		spec->path = word + 1;
		return 0;
	}
	return *word ? -EINVAL : 0;
}

/**
 * filter_parse_next - parse the next filter of a text
 * @text: the rest of the text, updated
 * @spec: gets the filter
 *
 * Return: 1 for a filter, 0 at the end of the text, -EINVAL if the text does not match the grammar,
 * if "filter" has no length, or if a range ends after the last address, -ERANGE if a number is too
 * large
 */
static inline int filter_parse_next(char **text, struct filter_spec *spec)
{
	static const char * const names[FILTER_ACTIONS] = {
		[FILTER_STOP]	= "stop",
		[FILTER_START]	= "start",
		[FILTER_RANGE]	= "filter",
	};
	char *word = filter_word(text);
	int i, err;

	if (!word)
		return 0;
	for (i = 0; i < FILTER_ACTIONS; i++) {
		if (!strcmp(word, names[i]))
			break;
	}
	if (i == FILTER_ACTIONS)
		return -EINVAL;
	spec->action = i;

	word = filter_word(text);
	if (!word)
		return -EINVAL;
	err = filter_where(word, spec);
	if (err)
		return err;
	if (spec->action == FILTER_RANGE && !spec->size)
		return -EINVAL;
	if (spec->size && spec->offset + (spec->size - 1) < spec->offset)
		return -EINVAL;
	return 1;
}

/**
 * filter_place - compute the address range of a part of a mapped file
 * @offset: offset of the part in the file
 * @size: size of the part; 0 for a single address
 * @map: address of the mapping
 * @map_offset: offset of the mapping in the file
 * @map_size: size of the mapping
 * @start: set to the address of the first mapped byte of the part
 * @len: set to the number of its mapped bytes, 0 for a single address
 *
 * Return: true if any byte of the part is mapped
 */
static inline bool filter_place(unsigned long offset, unsigned long size, unsigned long map,
				unsigned long map_offset, unsigned long map_size,
				unsigned long *start, unsigned long *len)
{
	unsigned long skip = offset < map_offset ? map_offset - offset : 0;
	unsigned long into = offset < map_offset ? 0 : offset - map_offset;

	if (into >= map_size || (skip && skip >= size))
		return false;
	*start = map + into;
	*len = min(size - skip, map_size - into);
	return true;
}

#endif /* _KERNEL_EVENTS_ADDR_FILTER_PARSE_H */
