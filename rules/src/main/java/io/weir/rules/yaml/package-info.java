/**
 * Reads YAML with the line and column of each value, and collects all problems of a file.
 *
 * <p>Uses SnakeYAML Engine. Used by {@code io.weir.rules.file} and {@code io.weir.rules.cases}.
 */
@NullMarked
package io.weir.rules.yaml;

import org.jspecify.annotations.NullMarked;
