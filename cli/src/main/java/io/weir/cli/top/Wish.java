package io.weir.cli.top;

import org.jspecify.annotations.Nullable;

/**
 * What is to be asked of a node.
 *
 * @param rule the only one; null: all
 * @param offset how many rules are left out before
 * @param rules how many are told of, at most
 */
record Wish(String sort, String range, @Nullable String rule, int offset, int rules) {}
