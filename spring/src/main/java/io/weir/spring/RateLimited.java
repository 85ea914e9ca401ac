package io.weir.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how often a method of a bean may be called.
 *
 * <pre>{@code
 * @RateLimited("export")                                  // a rule of the rules file
 * @RateLimited(limit = "5 per minute", per = "#user")     // a rule on the spot
 * Report export(String user) { ... }
 * }</pre>
 *
 * <p>A refused call throws {@link RateLimitExceededException}, which becomes the 429 response that
 * a filter would send. Methods that return a {@code CompletionStage}, a {@code Mono} or a {@code
 * Flux} are checked without blocking, and fail with it. Several annotations on one method are
 * combined: a call passes all limits, or spends nothing. On a class, the annotation applies to all
 * public methods without their own, which share the limit. It may be a meta-annotation.
 *
 * <p>As with all Spring proxies, a call from a bean to its own method is not limited. A method that
 * cannot be limited, because it is private, static or final, stops the start.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RateLimited.All.class)
public @interface RateLimited {
  /**
   * The name of a rule of the rules file; {@code domain/name} if several domains have it. The rule
   * is then checked where the method is called, and no longer by filters. The attributes in its
   * {@code per} come from {@link #per}, or else from method parameters of the same names.
   */
  String value() default "";

  /**
   * A limit on the spot: {@code 5 per minute}, or any form that a rules file allows: {@code
   * {algorithm: sliding-log, rate: 5 per minute}}.
   */
  String limit() default "";

  /**
   * The key: a SpEL expression over the method's arguments, such as {@code #user}, {@code
   * #order.customer} or {@code #p0}, or over the bean itself, such as {@code tenant()}. For a rule
   * with several attributes in {@code per}, a list: {@code {#tenant, #user}}. If empty, all calls
   * share one bucket. All calls for which it is null share one bucket as well.
   */
  String per() default "";

  /** How many permits a call costs: an expression with a numeric value; 1 unless set. */
  String cost() default "";

  /**
   * The name of a limit on the spot in metrics, headers and the store; class and method name unless
   * set.
   */
  String name() default "";

  /**
   * A method of the same class that is called when a call is refused. It has the same parameters,
   * optionally followed by a {@link RateLimitExceededException}.
   */
  String fallback() default "";

  /** The container of repeated annotations. */
  @Documented
  @Target({ElementType.METHOD, ElementType.TYPE})
  @Retention(RetentionPolicy.RUNTIME)
  @interface All {
    /** The annotations. */
    RateLimited[] value();
  }
}
