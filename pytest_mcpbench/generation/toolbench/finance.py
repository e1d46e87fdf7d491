"""Requests about stocks, companies and currencies. Ticker symbol and market must be known or worked out."""

from pytest_mcpbench.generation.toolbench.request import ReferenceCall, Request, call, request


def _quote(market: str, *symbols: str) -> ReferenceCall:
    return call("get_stock_price_global_market", symbol_list=list(symbols), market=market)


def _history(ticker: str, **range_: str) -> ReferenceCall:
    return call("get_historical_stock_prices", ticker=ticker, **range_)


def _rate(base: str, quote: str) -> ReferenceCall:
    return call("get_exchange_rate", from_currency=base, to_currency=quote)


def requests() -> list[Request]:
    """Return all requests of the category ``finance``."""
    return [*_quote_requests(), *_company_requests(), *_multi_call_requests()]


def _quote_requests() -> list[Request]:
    return [
        request("en", "What is Tesla's quote right now, with the day's high and low?", _quote("US", "TSLA")),
        request("zh", "腾讯在港股的最新报价和涨跌幅是多少？", _quote("HK", "700")),
        request("zh", "贵州茅台今天A股报价、最高价和最低价？", _quote("CN_MAINLAND", "SH600519")),
        request(
            "en", "I hold Shell in London. Today's change in pounds and in percent, please.", _quote("LSE", "SHEL")
        ),
        request(
            "fr",
            "Quel est le cours d'Airbus à Paris aujourd'hui, avec sa variation en pourcentage ?",
            _quote("EURONEXT", "AIR"),
        ),
        request(
            "ru",
            "Как сегодня торгуется Infosys в Индии: текущая котировка и изменение за день?",
            _quote("NSE_INDIA", "INFY"),
        ),
        request(
            "en",
            "Quote Apple, Microsoft and NVIDIA for me with one request, in that order; I also want the change on the "
            "day.",
            _quote("US", "AAPL", "MSFT", "NVDA"),
        ),
        request(
            "es",
            "Dame la cotización de Alibaba y de Xiaomi en Hong Kong con la variación del día, en ese orden y con una "
            "sola consulta.",
            _quote("HK", "9988", "1810"),
        ),
    ]


def _company_requests() -> list[Request]:
    return [
        request("en", "Daily prices of Netflix over the last three months.", _history("NFLX", period="3mo")),
        request(
            "es",
            "Precios semanales de LVMH (París) durante el último año.",
            _history("MC.PA", period="1y", interval="1wk"),
        ),
        request(
            "en",
            "To which sector does Contemporary Amperex belong, the company listed in Shenzhen under 300750?",
            call("get_stock_info", ticker="300750.SZ"),
        ),
        request(
            "ru",
            "Покажи выручку и чистую прибыль Coca-Cola по годам.",
            call("get_financial_statement", ticker="KO", financial_type="income_stmt"),
        ),
        request(
            "fr",
            "Le résultat net d'Unilever (Londres), trimestre par trimestre, s'il te plaît.",
            call("get_financial_statement", ticker="ULVR.L", financial_type="quarterly_income_stmt"),
        ),
        request("zh", "一欧元现在能换多少人民币？", _rate("EUR", "CNY")),
    ]


def _multi_call_requests() -> list[Request]:
    return [
        request(
            "en",
            "Quotes of Kuaishou in Hong Kong and of HSBC in London, each with its high and low of the day: two "
            "markets, ask both at once.",
            (_quote("HK", "1024"), _quote("LSE", "HSBA")),
        ),
        request(
            "en",
            "For a trip I need to know what one US dollar, one British pound and one euro are worth in yen. Three "
            "rates, all together.",
            (_rate("USD", "JPY"), _rate("GBP", "JPY"), _rate("EUR", "JPY")),
        ),
        request(
            "ru",
            "Сравни годовые отчёты о прибылях Apple и Amazon и недельные цены обеих акций за последние полгода; "
            "всё можно запросить сразу.",
            (
                call("get_financial_statement", ticker="AAPL", financial_type="income_stmt"),
                call("get_financial_statement", ticker="AMZN", financial_type="income_stmt"),
                _history("AAPL", period="6mo", interval="1wk"),
                _history("AMZN", period="6mo", interval="1wk"),
            ),
        ),
        request(
            "zh",
            "先查招商银行（上海，代码600036）的公司信息，看它以什么货币计价，再查这种货币兑美元的汇率。",
            call("get_stock_info", ticker="600036.SS"),
            _rate("<1_result.currency>", "USD"),
        ),
        request(
            "fr",
            "Regarde d'abord la fiche de Reliance Industries (Inde) pour savoir en quelle monnaie elle est cotée, "
            "puis donne-moi le taux de cette monnaie en euros.",
            call("get_stock_info", ticker="RELIANCE.NS"),
            _rate("<1_result.currency>", "EUR"),
        ),
    ]
