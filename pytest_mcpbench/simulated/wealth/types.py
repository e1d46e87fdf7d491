"""Parameter types that several tools share."""

from typing import Annotated

from pydantic import Field

FundCode = Annotated[str, Field(description="六位基金代码")]
FundCodes = Annotated[list[str], Field(description="六位基金代码列表", min_length=1, max_length=20)]
StrategyCode = Annotated[str, Field(description="策略代码，以 ST 开头")]
StrategyCodes = Annotated[list[str], Field(description="策略代码列表，每个以 ST 开头", min_length=1, max_length=10)]
StockCode = Annotated[str, Field(description="股票代码，SH 或 SZ 加六位数字")]
IndexCode = Annotated[str, Field(description="指数代码，以 IX 开头")]
UserId = Annotated[str, Field(description="用户id")]
FirstDay = Annotated[str, Field(description="起始日，YYYY-MM-DD")]
LastDay = Annotated[str, Field(description="截止日，YYYY-MM-DD")]
