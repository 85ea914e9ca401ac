package io.weir.servlet;

import io.weir.front.Judge;
import io.weir.front.Turns;
import io.weir.node.Node;
import io.weir.rules.Rule;
import io.weir.rules.Ruling;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Cors;
import io.weir.rules.http.HeaderStyle;
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
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
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
  private volatile @Nullable Gate gate;
  private volatile boolean isDestroyed;
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
    } else if (isDestroyed && owned != null) {
      throw new ServletException(
          "filter "
              + config.getFilterName()
              + ": it was destroyed, and its node is closed; build another, or close the node"
              + " yourself instead of saying closesNode()");
    } else if (isDestroyed) {
      open(given);
    }
  }

  private void open(Builder builder) {
    HeadReader reader =
        new HeadReader(
            new Proxies(builder.trusted), builder.encodedSlashes, Map.copyOf(builder.told));
    Integer most = builder.mostHeld;
    gate =
        new Gate(
            builder.scope == null ? builder.node : builder.scope,
            new Judge(builder.node, builder.headers, builder.scope),
            reader,
            new Reply(new Cors(builder.corsOrigins)),
            builder.waiting,
            new Turns(most == null ? builder.waiting.mostHeld() : most),
            builder.isLast);
    owned = builder.closesNode ? builder.node : null;
    isDestroyed = false;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Gate open = gate;
    if (open == null) {
      throw new ServletException("the filter was not initialised");
    }
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse answer)
        || !isNew(request)) {
      chain.doFilter(request, response);
    } else if (isDestroyed) {
      open.refuse(http, answer);
    } else if (open.lets(http, answer)) {
      try {
        chain.doFilter(request, response);
      } finally {
        open.end(http);
      }
    }
  }

  /** Whether a request has just come in, or is back from where another filter has put it aside. */
  private static boolean isNew(ServletRequest request) {
    return request.getDispatcherType() == DispatcherType.REQUEST || Aside.isResumed(request);
  }

  /**
   * What filters that are for {@linkplain Builder#rules some rules} have said of a request so far;
   * empty if it has met none.
   */
  public static Optional<Ruling> ruling(HttpServletRequest request) {
    return Optional.ofNullable(Judged.soFar(request));
  }

  /**
   * Answers a request as a filter would: what filters have told of limits is replaced. Nothing if
   * somebody has answered already.
   *
   * @param cors whose pages may read it
   */
  public static void send(
      Answer answer, Cors cors, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    new Reply(cors).send(answer, request, response);
  }

  /** How many requests are held for their turn now. */
  public int held() {
    Gate open = gate;
    return open == null ? 0 : open.held();
  }

  @Override
  public void destroy() {
    isDestroyed = true;
    Gate open = gate;
    if (open != null) {
      open.close();
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
    private List<String> corsOrigins = List.of();
    private HeaderStyle headers = HeaderStyle.DEFAULT;
    private boolean encodedSlashes;
    private Waiting waiting = Waiting.THREAD;
    private @Nullable Integer mostHeld;
    private @Nullable Predicate<Rule> scope;
    private BooleanSupplier isLast = () -> false;

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

    /**
     * Whose pages may read refusals, such as {@code https://shop.example}, or {@code *}; nobody's
     * unless set. Not needed behind a filter that lets them.
     */
    public Builder corsOrigins(List<String> origins) {
      corsOrigins = List.copyOf(origins);
      return this;
    }

    /** Whether {@code %2F} may be in a path, as part of a name; it is refused unless set. */
    public Builder encodedSlashes(boolean allowed) {
      encodedSlashes = allowed;
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

    /**
     * Whether no other filter for {@linkplain #rules some rules} judges a request behind this one:
     * it is asked for each request. A request that passes the last filter is counted at once; where
     * no filter is the last, it is counted when the first is done with it.
     */
    public Builder last(BooleanSupplier whether) {
      isLast = whether;
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
