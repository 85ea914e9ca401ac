/**
 * Checks at start-up, and explanations of failed starts: unknown properties, unused annotations,
 * servers that trust forged addresses.
 *
 * <p>Used by the auto-configuration and by Spring Boot's failure analysis.
 */
@NullMarked
package io.weir.spring.diagnostics;

import org.jspecify.annotations.NullMarked;
