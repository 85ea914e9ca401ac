package io.weir.cli.top;

import org.jspecify.annotations.Nullable;

/**
 * What to request from a node.
 *
 * @param rule the only one; null: all
 * @param offset how many rules are skipped
 * @param rules the most rules to return
 */
record SnapshotQuery(String sort, String range, @Nullable String rule, int offset, int rules) {}
