package io.weir.servlet;

import io.weir.embedded.DelayedRequests;
import io.weir.embedded.RequestGuard;
import io.weir.rules.RequestDecision;
import io.weir.rules.Rule;
import io.weir.rules.http.Cors;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Network;
import io.weir.runtime.Node;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Limits the requests of an application by the rules of a {@link Node}, with the same headers and
 * bodies as the gateway. Thread-safe; blocks as set by {@link Builder#waiting}.
 *
 * <pre>{@code
 * Node node = Node.builder(RuleSource.of(List.of(Path.of("rules.yaml")))).open();
 * FilterRegistration.Dynamic weir =
 *     context.addFilter("weir", WeirFilter.builder(node).closesNode().build());
 * weir.setAsyncSupported(true);
 * weir.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
 * }</pre>
 *
 * <p>A request is charged once, on arrival. A forward, an include, another dispatch or an error
 * page does not charge again, nor does another filter of the same node.
 */
public final class WeirFilter implements Filter {
  private @Nullable Builder given;
  private volatile @Nullable ServletRequestLimiter servletRequestLimiter;
  private volatile boolean isDestroyed;
  private @Nullable Node owned;

  /** Creates a filter that reads its init parameters: see {@code docs/reference/servlet.md}. */
  public WeirFilter() {}

  private WeirFilter(Builder builder) {
    given = builder;
    open(builder);
  }

  /** A builder of a filter for {@code node}, which other front ends may share. */
  public static Builder builder(Node node) {
    return new Builder(node);
  }

  @Override
  public void init(FilterConfig config) throws ServletException {
    if (given == null) {
      open(InitParameters.read(config));
    } else if (isDestroyed && owned != null) {
      throw new ServletException(
          "filter "
              + config.getFilterName()
              + ": it was destroyed, and its node is closed; build another filter, or close the node"
              + " yourself instead of calling closesNode()");
    } else if (isDestroyed) {
      open(given);
    }
  }

  private void open(Builder builder) {
    ServletRequestReader reader =
        new ServletRequestReader(
            new TrustedProxies(builder.trusted),
            builder.encodedSlashes,
            Map.copyOf(builder.attributes));
    Integer maxHeld = builder.maxHeld;
    servletRequestLimiter =
        new ServletRequestLimiter(
            builder.scope == null ? builder.node : builder.scope,
            new RequestGuard(builder.node, builder.headers, builder.scope),
            reader,
            new ServletResponseWriter(new Cors(builder.corsOrigins)),
            builder.waiting,
            new DelayedRequests(maxHeld == null ? builder.waiting.mostHeld() : maxHeld),
            builder.isLast);
    owned = builder.closesNode ? builder.node : null;
    isDestroyed = false;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    ServletRequestLimiter open = servletRequestLimiter;
    if (open == null) {
      throw new ServletException("the filter was not initialised");
    }
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse httpResponse)
        || !isNew(request)) {
      chain.doFilter(request, response);
    } else if (isDestroyed) {
      open.refuse(http, httpResponse);
    } else if (open.passesNow(http, httpResponse)) {
      try {
        chain.doFilter(request, response);
      } finally {
        open.end(http);
      }
    }
  }

  /** Whether a request has just arrived, or was suspended by another filter and resumed. */
  private static boolean isNew(ServletRequest request) {
    return request.getDispatcherType() == DispatcherType.REQUEST
        || SuspendedRequest.isResumed(request);
  }

  /**
   * The decisions of filters for {@linkplain Builder#rules some rules} about a request so far;
   * empty if none has checked it.
   */
  public static Optional<RequestDecision> ruling(HttpServletRequest request) {
    return Optional.ofNullable(DecisionMarker.soFar(request));
  }

  /**
   * Writes a response as a filter would, replacing the rate limit headers of earlier filters. Does
   * nothing if the response is committed.
   *
   * @param cors the web origins that may read it
   */
  public static void send(
      DirectResponse directResponse,
      Cors cors,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    new ServletResponseWriter(cors).send(directResponse, request, response);
  }

  /** How many requests are delayed now. */
  public int held() {
    ServletRequestLimiter open = servletRequestLimiter;
    return open == null ? 0 : open.held();
  }

  @Override
  public void destroy() {
    isDestroyed = true;
    ServletRequestLimiter open = servletRequestLimiter;
    if (open != null) {
      open.close();
    }
    if (owned != null) {
      owned.close();
    }
  }

  /** Builds a filter. Not thread-safe. */
  public static final class Builder {
    private final Node node;
    private final Map<String, Function<? super HttpServletRequest, @Nullable String>> attributes =
        new HashMap<>();
    private boolean closesNode;
    private List<Network> trusted = List.of();
    private List<String> corsOrigins = List.of();
    private HeaderStyle headers = HeaderStyle.DEFAULT;
    private boolean encodedSlashes;
    private Waiting waiting = Waiting.THREAD;
    private @Nullable Integer maxHeld;
    private @Nullable Predicate<Rule> scope;
    private BooleanSupplier isLast = () -> false;

    private Builder(Node node) {
      this.node = node;
    }

    /** Closes the node with the filter; unless set, it stays open. */
    public Builder closesNode() {
      closesNode = true;
      return this;
    }

    /** Sets the proxies that are trusted to send {@code X-Forwarded-For}; none unless set. */
    public Builder trustedProxies(List<Network> networks) {
      trusted = List.copyOf(networks);
      return this;
    }

    /** Sets which rate limit headers are sent; all of them unless set. */
    public Builder headers(HeaderStyle style) {
      headers = style;
      return this;
    }

    /**
     * Sets the web origins that may read refusals, such as {@code https://shop.example}, or {@code
     * *}; none unless set. Not needed behind a CORS filter.
     */
    public Builder corsOrigins(List<String> origins) {
      corsOrigins = List.copyOf(origins);
      return this;
    }

    /**
     * Whether {@code %2F} may be in a path, as part of a name; such a path is refused unless set.
     */
    public Builder encodedSlashes(boolean allowed) {
      encodedSlashes = allowed;
      return this;
    }

    /**
     * Sets an attribute that only the application knows, such as the logged-in user. Rules use it
     * by this name. It takes precedence over a header, cookie or parameter that the rules declare
     * by the same name, even when it is null.
     *
     * @param value evaluated when a rule needs it, in the request's thread; null means absent. It
     *     may throw {@link io.weir.rules.match.MalformedRequestException}, for a 400
     */
    public Builder attribute(
        String name, Function<? super HttpServletRequest, @Nullable String> value) {
      attributes.put(name, value);
      return this;
    }

    /**
     * Sets which rules this filter checks; all of them unless set. Several filters of one node that
     * divide its rules check a request in turn: by address before authentication, and by user
     * behind it. The response reports the limits of all.
     */
    public Builder rules(Predicate<Rule> subset) {
      scope = subset;
      return this;
    }

    /**
     * Whether no later filter for {@linkplain #rules some rules} checks a request; evaluated for
     * each request. A request that passes the last filter is counted at once. If no filter is the
     * last, it is counted when the first one returns.
     */
    public Builder last(BooleanSupplier condition) {
      isLast = condition;
      return this;
    }

    /** Sets how requests wait; in their threads unless set. */
    public Builder waiting(Waiting mode) {
      waiting = mode;
      return this;
    }

    /** Sets how many requests may be delayed at a time; further ones are refused with 503. */
    public Builder mostHeld(int maxHeld) {
      this.maxHeld = maxHeld;
      return this;
    }

    /** Builds the filter. */
    public WeirFilter build() {
      return new WeirFilter(this);
    }
  }
}
