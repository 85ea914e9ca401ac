package io.weir.servlet;

import io.weir.front.Judge;
import io.weir.front.Turns;
import io.weir.node.Node;
import io.weir.rules.Rule;
import io.weir.rules.Ruling;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.http.Origins;
import io.weir.rules.http.Proxies;
import io.weir.rules.match.Network;
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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Limits the requests of an application by the rules of a {@link Node}: with the headers and the
 * bodies that the gateway gives.
 *
 * <pre>{@code
 * Node node = Node.builder(RuleFeed.of(List.of(Path.of("rules.yaml")))).open();
 * FilterRegistration.Dynamic weir =
 *     context.addFilter("weir", WeirFilter.builder(node).closesNode().build());
 * weir.setAsyncSupported(true);
 * weir.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
 * }</pre>
 *
 * <p>A request is charged once, when it comes in: not again where it is forwarded, included,
 * dispatched again or sent to an error page, nor by another filter of the same node.
 */
public final class WeirFilter implements Filter {
  private @Nullable Builder given;
  private @Nullable Gate gate;
  private Origins origins = Origins.NONE;
  private @Nullable Node owned;

  /** A filter that is set up by init parameters: see {@code docs/servlet.md}. */
  public WeirFilter() {}

  private WeirFilter(Builder builder) {
    given = builder;
    open(builder);
  }

  /** A filter by the rules of {@code node}, which others may use as well. */
  public static Builder builder(Node node) {
    return new Builder(node);
  }

  @Override
  public void init(FilterConfig config) throws ServletException {
    if (given == null) {
      open(InitParameters.read(config));
    }
  }

  private void open(Builder builder) {
    HeadReader reader =
        new HeadReader(
            new Proxies(builder.trusted),
            builder.encodedSlashes,
            builder.received,
            Map.copyOf(builder.told));
    Integer most = builder.mostHeld;
    gate =
        new Gate(
            builder.scope == null ? builder.node : builder.scope,
            new Judge(builder.node, builder.headers, builder.scope),
            reader,
            builder.waiting,
            new Turns(most == null ? builder.waiting.mostHeld() : most));
    origins = builder.origins;
    owned = builder.closesNode ? builder.node : null;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Gate open = gate;
    if (open == null) {
      throw new ServletException("the filter was not initialised");
    }
    if (request.getDispatcherType() != DispatcherType.REQUEST
        || !(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse answer)
        || lets(open, http, answer)) {
      chain.doFilter(request, response);
    }
  }

  private boolean lets(Gate open, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Reply.to(origins, request);
    return open.lets(request, response);
  }

  /**
   * What filters that are for {@linkplain Builder#rules some rules} have said of a request so far;
   * empty if it has met none.
   */
  public static Optional<Ruling> ruling(HttpServletRequest request) {
    return Optional.ofNullable(Judged.soFar(request));
  }

  /** How many requests are held for their turn now. */
  public int held() {
    return gate == null ? 0 : gate.held();
  }

  @Override
  public void destroy() {
    if (gate != null) {
      gate.close();
    }
    if (owned != null) {
      owned.close();
    }
  }

  /** What a filter is made of. */
  public static final class Builder {
    private final Node node;
    private final Map<String, Function<? super HttpServletRequest, @Nullable String>> told =
        new HashMap<>();
    private boolean closesNode;
    private List<Network> trusted = List.of();
    private HeaderStyle headers = HeaderStyle.DEFAULT;
    private boolean encodedSlashes;
    private Origins origins = Origins.NONE;
    private UnaryOperator<HttpServletRequest> received = UnaryOperator.identity();
    private Waiting waiting = Waiting.THREAD;
    private @Nullable Integer mostHeld;
    private @Nullable Predicate<Rule> scope;

    private Builder(Node node) {
      this.node = node;
    }

    /** The node is closed with the filter; it stays open unless set. */
    public Builder closesNode() {
      closesNode = true;
      return this;
    }

    /** Whose {@code X-Forwarded-For} is believed; nobody's unless set. */
    public Builder trustedProxies(List<Network> networks) {
      trusted = List.copyOf(networks);
      return this;
    }

    /** Which headers tell of limits; all of them unless set. */
    public Builder headers(HeaderStyle style) {
      headers = style;
      return this;
    }

    /** Web pages of which origins may read refusals; {@code *}: all. None unless set. */
    public Builder corsOrigins(List<String> allowed) {
      origins = new Origins(allowed);
      return this;
    }

    /** Whether {@code %2F} may be in a path, as part of a name; it is refused unless set. */
    public Builder encodedSlashes(boolean allowed) {
      encodedSlashes = allowed;
      return this;
    }

    /**
     * Where somebody before the filter wraps requests, and replaces the address or the path of one
     * by what headers say: finds the request as it was received, whose address and path count then.
     * The request itself unless set.
     */
    public Builder received(UnaryOperator<HttpServletRequest> finder) {
      received = finder;
      return this;
    }

    /**
     * What only the application knows, such as who has logged in: rules use it by this name. It
     * goes before a header, cookie or parameter that the rules declare by the same name, also where
     * it is null.
     *
     * @param value is asked when a rule needs it, in the request's thread; null: there is none. It
     *     may throw {@link io.weir.rules.match.MalformedRequestException}, for a 400
     */
    public Builder attribute(
        String name, Function<? super HttpServletRequest, @Nullable String> value) {
      told.put(name, value);
      return this;
    }

    /**
     * Which rules the filter is for; all of them unless set. Several filters of one node that share
     * its rules judge a request one after the other, each by its own: by address before somebody
     * has found out who calls, and by user behind that. A response tells of all that were asked.
     */
    public Builder rules(Predicate<Rule> which) {
      scope = which;
      return this;
    }

    /** Where requests wait; in their threads unless set. */
    public Builder waiting(Waiting where) {
      waiting = where;
      return this;
    }

    /** How many requests are held for their turn at a time; others are refused by 503. */
    public Builder mostHeld(int most) {
      mostHeld = most;
      return this;
    }

    /** The filter. */
    public WeirFilter build() {
      return new WeirFilter(this);
    }
  }
}
