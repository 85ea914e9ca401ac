/**
 * What is logged: lines that carry fields besides their text, how they are written as JSON, and
 * which of the refusals are told of. Knows what is counted; everybody here may log.
 */
@NullMarked
package io.weir.server.logs;

import org.jspecify.annotations.NullMarked;
